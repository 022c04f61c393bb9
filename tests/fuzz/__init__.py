"""Hostile inputs by the thousand: every one gets an answer or a sentence.

`make fuzz` tries 100,000 of them. Input `number` of `seed` is always the same, so what is found can
be tried again: `python -m tests.fuzz --seed 1 --only 4711`.

hostile   values that programs choke on, and how a text or a tree of JSON is spoilt with them
corpus    one valid file of each kind, made by covey itself
feeds     feeds of a few lines, and the scenarios that read them
inputs    what an input is
kinds     every kind of input: a spoilt file, and the command that reads it
options   a command with options that nobody would give
questions questions of the app's page, spoilt
tries     one input tried in this process, with a limit on its time
__main__  all of them, in processes with a limit on their memory
"""
