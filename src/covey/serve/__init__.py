"""`covey serve`: a live feed. It hears what the fleet does and publishes what may be known.

Two processes, so that what faces the public knows nothing of the team:

    settings, settings_file    what can be set: in a file, by options
    feed_clock  the moments of a feed: which there are, and when each is published
    frames      what the two processes say to each other
    wall_times  dates and epoch times
    broker      an MQTT broker: its address, TLS, user and password, reconnection
    socket_address  where HTTP is answered
    running     starts both, and ends both
    inside/     hears the fleet, moves the mechanism along, keeps the ledger
    outside/    publishes, on a clock of its own: HTTP, server-sent events, MQTT, Prometheus
    static/     the page

A value goes out at a time that the clock alone decides. The inside has it ready before that; where
it has not, the outside publishes the last value again. So what appears when, how large it is and
how long an answer takes do not depend on the team.
"""
