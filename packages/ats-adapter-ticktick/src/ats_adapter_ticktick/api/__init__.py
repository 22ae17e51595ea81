"""TickTick's Open API v1: the pace of requests, one HTTP client, what a refusal means, a method for each endpoint."""
