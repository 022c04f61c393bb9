"""What it is: networks, teams, queries and scenarios, in whole numbers."""
