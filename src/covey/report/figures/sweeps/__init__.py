"""Pictures of sweeps: lines, maps and panels, and how their axes are labelled."""
