"""The picture of a network: what is drawn (layers), where (ordering, layout, routes), and how."""

from covey.report.topology.draw import MAX_NODES, draw_network

__all__ = ["MAX_NODES", "draw_network"]
