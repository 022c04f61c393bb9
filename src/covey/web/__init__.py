"""What the app and a live feed share as servers.

connection_limits   how many connections there may be, and how long each may keep the server waiting
orderly             around every application: headers, odd requests, clients that leave, failures
page_policy         what a browser may do with a page
streamed            answers that come piece by piece, for as long as somebody reads them
"""
