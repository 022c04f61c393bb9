"""The half of `covey serve` that knows the team; only what the mechanism publishes leaves it.

times        when something happened, in the unit of the model
heard        what a message or line says: a robot's state, an event, a whole state, counts
lines        lines of JSON or CSV: standard input, a log at its pace, a body that was posted
vda5050      messages of an MQTT broker
inbox        all of it in the order of time, until its moment is published
team         from robots to what the mechanism takes, up to a moment
mechanism    what the file of a mechanism is, and the publisher that it makes
stand_in     a stand-in as such a publisher
table        a table as such a publisher
ledger       what was spent and published, in a file, over restarts
counters     what is counted, for the owner alone
hearing      what is heard is read and passed on
feed         all of these, for one feed
ticker       moment after moment: hear, publish, write down, hand over
"""
