"""How to run the team instead: rates, counts and resources that give away less.

design                the question, and what comes out
problem, objective    what is asked, and what for
variables, publishing what may change: of the team, and of what is published
search                all descents, as tasks that are done by work
descent, step         one of them: steps of a linear program, by sensitivities
evaluation            a setting, evaluated exactly
"""
