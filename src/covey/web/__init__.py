"""What the app and a live feed share as servers.

connection_limits   how many connections there may be, and how long each may keep the server waiting
page_policy         what a browser may do with a page
until_gone          answers that go on for as long as somebody reads them
"""
