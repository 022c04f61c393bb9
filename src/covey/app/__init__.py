"""`covey app`: the same questions in a browser, on this machine, for people who would rather look.

    guard     who may ask: this machine's browser, with the address that was printed
    server    what can be asked: the page, its files, questions, and to save
    opened    the file that it was opened on, the only one that is ever written
    pool      who answers: worker processes, warm, stopped when nobody waits any more
    worker    one of those processes, as the pool has it
    clerk     what runs in each of them
    answers   one question in each file; every number is from the function that a verb calls

The page has one state, the text of a scenario file. It is asked about as a whole, again and again,
so that the server keeps nothing that could be lost.
"""
