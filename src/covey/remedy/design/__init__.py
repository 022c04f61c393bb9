"""How to run the team instead: rates, counts and resources that give away less."""
