"""Bars as tqdm draws them: bytes of logs that OpenRLHF 0.11 and verl 0.9 wrote."""

from starforge.streams.progress_bars import fold, latest, readable

FULL = "█" * 10

# A bar drawn over itself, behind the name that Ray puts before each line.
RAY = (
    "\x1b[36m(CriticModelActor pid=21033)\x1b[0m "
    "\rTrain epoch [1/1]:   0%|          | 0/2 [00:00<?, ?it/s, critic_loss=0.0213, values=0.269]"
    "\rTrain epoch [1/1]:   0%|          | 0/2 [00:00<?, ?it/s, critic_loss=0.0334, values=0.262]"
    f"\rTrain epoch [1/1]: 100%|{FULL}| 2/2 [00:00<00:00,  9.35it/s, critic_loss=0.0334]"
).encode()

# Two bars on two levels: every state ends with a newline and a move upwards.
NESTED = (
    "LogSigmoid Loss\n"
    "\rTrain epoch:   0%|          | 0/4 [00:00<?, ?it/s]\n"
    "\rTrain step of epoch 0:   0%|          | 0/4 [00:00<?, ?it/s]\x1b[A"
    "UserWarning: no accelerator is found, then device pinned memory won't be used.\n"
    "  super().__init__(loader)\n"
    "\n"
    "\rTrain step of epoch 0:   0%|          | 0/4 [00:00<?, ?it/s, loss=0.688, lr=0]\x1b[A\n"
    "\rTrain step of epoch 0:  25%|██▌       | 1/4 [00:00<00:01,  1.87it/s, loss=0.688]\x1b[A\n"
    "\rTrain step of epoch 0:  25%|██▌       | 1/4 [00:00<00:01,  1.87it/s, loss=0.695]  \x1b[A\n"
    f"\rTrain step of epoch 0: 100%|{FULL}| 4/4 [00:02<00:00,  1.31it/s, loss=0.688]\x1b[A\n"
    "\n"
    "\rEval stage of steps 2:   0%|          | 0/1 [00:00<?, ?it/s]\x1b[A\x1b[A\n"
    "\n"
    f"\rEval stage of steps 2: 100%|{FULL}| 1/1 [00:00<00:00,  4.31it/s]\x1b[A\x1b[ASet reward\n"
    "\n"
    "\rTrain step of epoch 1:   0%|          | 0/4 [00:00<?, ?it/s]\x1b[A\x1b[A"
    f"\rTrain step of epoch 0: 100%|{FULL}| 4/4 [00:02<00:00,  1.39it/s, loss=0.688]\n"
    "\rTrain step of epoch 1:  50%|█████     | 2/4 [00:00<00:00,  4.09it/s]\x1b[A\x1b[A\n"
    "done\n"
).encode()


def shown(data):
    return [readable(fold(line)).decode() for line in data.split(b"\n")]


def test_of_a_bar_the_last_state_is_left():
    (line,) = shown(RAY)
    assert line == (
        "\x1b[36m(CriticModelActor pid=21033)\x1b[0m "
        f"Train epoch [1/1]: 100%|{FULL}| 2/2 [00:00<00:00,  9.35it/s, critic_loss=0.0334]"
    )


def test_a_line_folded_piece_by_piece_is_the_same():
    for cut in range(len(RAY)):
        assert fold(fold(RAY[:cut]) + RAY[cut:]) == fold(RAY)
    assert fold(fold(RAY)) == fold(RAY)


def test_what_is_written_behind_a_bar_stays_and_nothing_moves_the_cursor():
    lines = shown(NESTED)
    assert (
        "Train step of epoch 0:   0%|          | 0/4 [00:00<?, ?it/s] UserWarning: no" in lines[2]
    )
    assert f"Eval stage of steps 2: 100%|{FULL}| 1/1 [00:00<00:00,  4.31it/s] Set reward" in lines
    assert not [line for line in lines if "\x1b[A" in line or "\r" in line]


def test_two_bars_on_a_line_are_both_shown():
    (line,) = [line for line in shown(NESTED) if line.startswith("Train step of epoch 1:   0%")]
    assert line.endswith(
        f"?it/s] Train step of epoch 0: 100%|{FULL}| 4/4 [00:02<00:00,  1.39it/s, loss=0.688]"
    )


def test_bars_that_fill_many_lines_are_one_a_label():
    lines = latest(shown(NESTED), lambda line: line)
    assert [line.partition("|")[0] for line in lines] == [
        "LogSigmoid Loss",
        "Train epoch:   0%",
        "Train step of epoch 0:   0%",  # with the warning behind it
        "  super().__init__(loader)",
        "",
        "Train step of epoch 0: 100%",
        "Eval stage of steps 2:   0%",
        "Eval stage of steps 2: 100%",  # with what was said behind it
        "",
        "Train step of epoch 1:   0%",  # with the other bar's end
        "Train step of epoch 1:  50%",
        "done",
        "",
    ]


def test_lines_without_bars_are_as_they_were():
    for line in (
        b"", b"plain", b"a\rb\rc", b"100% sure [really]", b"  12 [00:01] no bar\r",
        b"\x1b[32mgreen\x1b[0m\rover it", bytes(range(11, 256)), b"acc 50%|x\r50%|y",
    ):  # fmt: skip
        assert readable(fold(line)) == line
    lines = ["one", "", "two", "", "", "three"]
    assert latest(lines, lambda line: line) == lines


def test_a_bar_without_a_length_and_one_of_bytes():
    line = b"\rReading: 12it [00:03,  4.00it/s]\rReading: 2,012it [01:03:04, 31.9it/s]"
    assert shown(line) == ["Reading: 2,012it [01:03:04, 31.9it/s]"]
    line = f"model: 10%|█  | 1.0G/10G [00:01<?, 1GB/s]\rmodel: 100%|{FULL}| 10G/10G [00:09<00:00]"
    assert shown(line.encode()) == [f"model: 100%|{FULL}| 10G/10G [00:09<00:00]"]
