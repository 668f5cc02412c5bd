"""The bus: threads publish, tasks read, nobody blocks."""

import asyncio
import threading

from starforge.server.bus import LIMIT, Bus, Message


def test_readers_get_what_they_want_from_any_thread():
    async def scene():
        bus = Bus()
        with bus.subscribe(lambda m: m.job == "a", "a") as reader:
            assert bus.has_readers("a") and not bus.has_readers("b")
            thread = threading.Thread(target=lambda: [bus.publish("job", j) for j in "bab"])
            thread.start()
            assert await reader.get(5) == Message("job", "a")
            thread.join()
            assert (await reader.get(0.01)).kind == "idle"
        assert not bus.has_readers("a")

    asyncio.run(scene())


def test_a_slow_reader_is_told_of_the_gap():
    async def scene():
        bus = Bus()
        with bus.subscribe(lambda m: True) as reader:
            for n in range(LIMIT + 1):
                bus.publish("job", str(n))
            await asyncio.sleep(0)
            assert (await reader.get(1)).kind == "gap"
            assert (await reader.get(0.01)).kind == "idle"

    asyncio.run(scene())


def test_closing_ends_open_and_later_subscriptions():
    async def scene():
        bus = Bus()
        with bus.subscribe(lambda m: True) as reader:
            bus.close()
            assert await reader.get(1) is None
        with bus.subscribe(lambda m: True) as reader:
            assert await reader.get(1) is None

    asyncio.run(scene())


def test_listeners_hear_everything_at_once():
    bus, heard = Bus(), []
    bus.listen(heard.append)
    bus.publish("wake")
    assert heard == [Message("wake")]
