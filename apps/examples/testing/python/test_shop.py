import unittest

from shop import Shop
from simulated_service import SimulatedService


class ShopTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = SimulatedService("--profile", "instant")
        cls.addClassCleanup(cls.service.stop)

    def setUp(self):
        self.service.control("PUT", "/faults", [])
        self.service.control("PUT", "/time", {"mode": "real"})
        self.service.control("POST", "/reset", {})
        self.shop = Shop(self.service.base_url, self.service.api_key)

    def test_buys_an_item(self):
        run = self.shop.wait(self.shop.start("4711", "the red mug [simulate output=ordered]"))
        self.assertEqual(run["result"], "ordered")
        self.assertEqual(self.service.mistakes(), [])

    def test_buys_once_if_the_response_is_lost(self):
        lost = {"kind": "reset", "placement": "after-apply"}
        when = {"operations": ["v4.createRun"], "attempts": [1]}
        self.service.control("PUT", "/faults", [{"name": "response-lost", "fault": lost, "when": when}])
        run = self.shop.wait(self.shop.start("4712", "the red mug"))
        self.assertEqual(run["status"], "completed")
        # a second run would be a mistake
        self.assertEqual(self.service.mistakes(), [])

    def test_waits_two_hours_for_a_run(self):
        self.service.control("PUT", "/time", {"mode": "manual"})
        run_id = self.shop.start("4713", "the red mug [simulate duration=2h]")
        self.service.control("POST", "/time/advance", {"by": "2 hours"})
        self.assertEqual(self.shop.wait(run_id)["status"], "completed")


if __name__ == "__main__":
    unittest.main()
