"""Wide allow rules never match an option that writes files or runs programs of somebody's choice: one line a command, as data."""

import pytest

from agent.permissions.risky_options import is_risky, risky_of

from .conftest import Asking

# A rule, then what it must not match, then what it must.
LINES = """
python -m pytest:* | -p evil; -pevil; -c x.ini; --rootdir=/tmp; --confcutdir /tmp; -o python_files=x; --junitxml=P; --cov-report=html:P | -q; -k a tests; -x --lf
pytest:* | -p evil; --override-ini=x; --basetemp=.; --pdbcls=a:b; --log-file=P; --html=P | -q tests/unit; --maxfail=1 -vv; --tb=short
python:* | -c x; -m evil; -im evil; -ux -c y | script.py; -u script.py --flag
python3.12:* | -c x; -m http.server | script.py
python3 -m mypy:* | --config-file x; --python-executable=x; --cache-dir=P; --install-types | --strict src
node:* | -e x; -r ./x; --require=x; --import x; --loader=x; -p 1; --env-file=x | server.js; --test
ruby:* | -e x; -r./x; -I x | a.rb
perl:* | -e x; -i a; -ne x; -Mevil | a.pl
php:* | -r x; -d auto_prepend_file=x; -S localhost:1 | a.php
uv run pytest:* | -p evil; -c x | -q
uv run:* | pytest; python x; --with evil pytest |
uv:* | run x; -q run x; pip install --index-url=http://x y; --directory / sync | sync; lock
npx eslint:* | -c x; --config=x; --rulesdir=x; --plugin x; -f ./x; --fix; -o P; --resolve-plugins-relative-to=x | src; --ext .ts src; --max-warnings 0
npx:* | eslint src; -y evil; cowsay |
poetry run:* | evil |
bundle exec rspec:* | -o P; --require x --out P | spec/a_spec.rb
bundle:* | exec evil; config x y | check
npm:* | exec evil; x evil; -s exec evil; config set a b; --prefix /tmp test; run test --script-shell=x; test -- --globalSetup=x | test; run lint; ls; run test -- --watch
npm run test:* | -- --config=x; -- --setupFiles=x; -- -c x; --node-options=x | -- --watch; -- src/a.test.ts -t name
yarn test:* | --script-shell=x; -- --reporters=x | --verbose
jest:* | --config=x; -c x; --globalSetup x; --global-setup=x; --setupFilesAfterEnv x; --transform=x; --watchPlugins=x; -u | --watch; src -t name; --coverage
tsc:* | --outDir /tmp; -outDir /tmp; --outFile P; -p x; --build x; --generateTrace P | --noEmit; --version
prettier:* | --write .; -w a; --plugin=x; --config x | --check .
git:* | -c core.pager=x log; --exec-path=/tmp log; -C /tmp log; clone ext::sh x; config a b; log --output=P; diff --ext-diff; grep -Ox y; bisect run x | status; branch -a; stash list
git push:* | --receive-pack=x; --exec=x; ext::sh | -u origin main; --force-with-lease
git fetch:* | --upload-pack=x; hg::x | -p; --all
git log:* | --output=P; --ext-diff; --textconv; -Ofile | -p; -c; -C --oneline
git commit:* | -c HEAD; --edit | -m fix; -am fix; -C HEAD
find:* | . -exec x; . -execdir x; . -ok x; . -delete; . -fprintf P x; . -fls P; -files0-from=x | . -name x -type f
fd:* | -x rm; -X rm; --exec=rm | -e py x
rg:* | --pre x; --pre=x; --hostname-bin=x; -z x | -f patterns x; -n x
grep:* | | -f patterns x; -rn x .
ag:* | --pager=x | x
tar:* | xf a --to-command=x; xf a --checkpoint-action=exec=x; -I x -xf a; xIf x a; --use-compress-program=x -xf a; -T list; xf a -C / | tf a; xzf a
zip:* | a.zip b -T -TT x; --unzip-command=x; -TTx | -r a.zip b
rsync:* | -e x a b; --rsh=x; --rsync-path=x; -ae x a b; --log-file=P; -M--log-file=P | -av a b
ssh:* | -o ProxyCommand=x h; h ls |
scp:* | -o ProxyCommand=x a h:; -S x a h:; -F x a h: | a h:b
sed:* | -i s/a/b/ x; s/a/b/w x; -n e x; s/a/b/e x |
awk:* | x a |
xargs:* | rm |
env:* | rm x; A=b rm |
less:* | x |
man:* | ls |
make:* | -f x; SHELL=x; CC=x; --eval=x; -C /tmp; MAKEFLAGS=x; PYTHON=evil test; -Idir; X:=y | test; -j4 test; V=1 test; DEBUG=0
ninja:* | -C /tmp; -f x; -t clean | all; -j4
cmake:* | -P x; -E touch P; -DCMAKE_CXX_COMPILER=x .; --toolchain x; -C x | --build build; -DFOO=1 .
cargo:* | --config x build; --manifest-path /x build; -Zx build; -C /x build; clippy --fix; build --target-dir /x; test -- --logfile P | build --release; test -- --nocapture
go:* | test -exec x; build -toolexec x; vet -vettool x; build -o P; -C /x build; generate; test -cpuprofile P; build -ldflags=x | test ./...; build ./...; test -run X -v
mvn:* | exec:exec; -Dexec.executable=x test; -f /x; -s x | test; -DskipTests package; -q verify
gradle:* | -I x; --init-script x; -b x; -p /x; -Dx=y | build; test --info
curl:* | -o P x; -O x; -sSo P x; -K x; --config=x; -D P x; --cookie-jar=P; -J x; --trace P; -T f x | -s x; -sSL x; -X POST x; --head x
wget:* | -O P x; --output-document=P x; -e x; --execute=x; -i list; --use-askpass=x; --save-cookies=P | -q x; --spider x
vim:* | -c x; a |
docker:* | run -v /:/h x; run --privileged x; run --mount type=bind x; -H tcp://x ps; build -f x .; run --entrypoint x y; run --volume=/:/h x | ps -a; images; logs x
kubectl:* | exec x; cp a b; --kubeconfig=x get; apply -f x | get pods; logs x
pip install:* | --index-url x y; -i x y; --extra-index-url=x y; --find-links=x y; -f x y; --target=/x y; -r x; -e x; --config-settings=x y | requests; -U requests; -q requests
pip3:* | install -i x y; config set a b | list; show x
python -m pip:* | install -i x y | list
dd:* | of=P; if=a of=P | if=a
date:* | -s 1; --set=1 | +%s; -u
sort:* | -o P x; --compress-prog=x y; -uoP x | -k2,2 -n x
gcc:* | -o P a.c; -wrapper x a.c; -fplugin=x a.c; -specs=x a.c; -Wl,x a.c | -c a.c; -Wall -fsyntax-only a.c
openssl:* | enc -out P; -engine x; req -config x | version
psql:* | -c x; -o P; -f x; -L P | -l
unknown:* | --output=P; -oP; --exec x; --plugin=x; --fix; --config-file=x; --editor=x | -v; --verbose; sub arg
"""


@pytest.mark.parametrize("line", LINES.strip().splitlines(), ids=lambda line: line.partition(":")[0])
def test_what_a_wide_rule_leaves_to_the_person_and_what_it_allows(project: Asking, line: str) -> None:
    rule, *columns = (part.strip() for part in line.split("|"))
    gate = project.rules(allow=[f"Bash({rule})"])
    for wanted, column in zip(("ask", "allow"), columns, strict=True):
        commands = [f"{rule.removesuffix(':*')} {text.strip()}" for text in column.split(";") if text.strip()]
        assert {command: gate.bash(command) for command in commands} == dict.fromkeys(commands, wanted)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("uv run py*", "ask"),  # not the whole program
        ("uv *", "ask"),
        ("* -q", "ask"),
        ("uv run pytest*", "ask"),
        ("uv run pytest *", "allow"),
        ("uv run pytest -q:*", "allow"),
        ("uv run pytest -q", "allow"),
    ],
)
def test_a_rule_must_spell_out_the_program_that_a_runner_runs(project: Asking, rule: str, verdict: str) -> None:
    assert project.rules(allow=[f"Bash({rule})"]).bash("uv run pytest -q") == verdict


def test_a_name_may_end_in_its_version() -> None:
    assert risky_of(["python3.12"]) is risky_of(["python"])
    assert risky_of(["sqlite3"]).always
    assert risky_of(["7"]) is risky_of(["anything"])
    assert not is_risky(["clang-15", "-c", "a.c"])
    assert is_risky(["./python", "a.py"])
