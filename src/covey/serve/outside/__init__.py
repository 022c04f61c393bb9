"""The half of `covey serve` that faces the public. It knows what was published, and nothing else.

board        what is published now, and lately: the bytes of every answer, made before they are due
ticker       publishes by the clock
routes       what can be asked over HTTP
streaming    server-sent events
posting      what the fleet posts is passed on to the inside
connections  how many there may be, how slow, how large
mqtt         the same on a topic, retained
__main__     the process
"""
