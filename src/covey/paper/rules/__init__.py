"""The paper's design rules: rule_cases of rule_systems, told in a rule_table."""
