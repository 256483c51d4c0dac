"""Agents described step by step, and the runner, which delivers artifacts to them until no run is due."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from uuid import UUID, uuid4

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.core.tokens.arguments import a_function, a_text, with_methods
from ctxtui.slices.artifact import PUBLIC, Artifact, Clock, as_correlation, utc_now
from ctxtui.slices.board import Board
from ctxtui.slices.composite import FallbackProvider
from ctxtui.slices.context import Context
from ctxtui.slices.filters import FilterConfig
from ctxtui.slices.json_data import payload_of, type_name
from ctxtui.slices.providers import FilteredContextProvider
from ctxtui.slices.trace import Trace
from ctxtui.slices.types import Agent, ContextProvider, Engine, EvalInputs, EvalResult, Subscription, a_provider
from ctxtui.slices.visibility import Visibility, words


class AgentBuilder:
    """Describes an agent step by step (slices specification 2). `agent` is the result so far."""

    def __init__(self, name: str) -> None:
        self.agent = Agent(name)

    def _with(self, agent: Agent) -> AgentBuilder:
        self.agent = agent
        return self

    def description(self, text: str) -> AgentBuilder:
        """Set a description for people."""
        return self._with(replace(self.agent, description=text))

    def labels(self, *labels: str) -> AgentBuilder:
        """Add labels."""
        return self._with(replace(self.agent, labels=self.agent.labels | words(labels, "labels")))

    def tenant(self, tenant_id: str) -> AgentBuilder:
        """Set the tenant."""
        return self._with(replace(self.agent, tenant=tenant_id))

    def consumes(self, *types: str | type, context_provider: ContextProvider | None = None) -> AgentBuilder:
        """Add types of artifacts that each start a run, optionally with a provider (slices specification 8.1)."""
        if context_provider is not None:
            a_provider(context_provider, "context_provider")
        names = [type_name(each) for each in types]
        kept = tuple(each for each in self.agent.subscriptions if each.type not in names)
        added = tuple(Subscription(name, context_provider) for name in names)
        return self._with(replace(self.agent, subscriptions=kept + added))

    def publishes(self, *types: str | type) -> AgentBuilder:
        """Add types of artifacts that its engines may return."""
        names = (*self.agent.publishes, *map(type_name, types))
        return self._with(replace(self.agent, publishes=tuple(dict.fromkeys(names))))

    def with_context(
        self, provider: ContextProvider, *, fallback: ContextProvider | None = None, unredacted_fallback: bool = False
    ) -> AgentBuilder:
        """Set the provider for all engines. `fallback` is called if the provider raises, not if it returns nothing.

        Every redaction by a `RedactingProvider` anywhere in `provider` also applies to the fallback's items, unless
        `unredacted_fallback` is True. Raises TypeError for anything but a provider.
        """
        a_provider(provider, "provider")
        chosen = provider if fallback is None else FallbackProvider(provider, fallback, unredacted_fallback)
        return self._with(replace(self.agent, context_provider=chosen))

    def with_context_filter(
        self,
        *,
        filters: FilterConfig | None = None,
        limit: int | None = None,
        include_state_keys: Collection[str] | None = None,
    ) -> AgentBuilder:
        """Set a `FilteredContextProvider` as the provider. Without filters, it returns everything visible."""
        return self.with_context(FilteredContextProvider(filters or FilterConfig(), limit, include_state_keys or ()))

    def with_engines(self, *engines: Engine) -> AgentBuilder:
        """Add engines, which run in this order. Raises TypeError for anything but an engine."""
        for engine in engines:
            with_methods(engine, ("evaluate",), "each argument", "an EngineComponent")
        return self._with(replace(self.agent, engines=self.agent.engines + engines))


EXTERNAL = "external"
MAX_RUNS = 1000


class Runner:
    """Runs agents over a board, one run after the other (slices specification 2).

    An artifact starts a run of every agent that consumes its type, may see it and did not produce it. The runs that
    follow share its correlation id. `clock` dates artifacts and decides on `After`. Without `on_notice`, notices go
    to the logger `ctxtui`.
    """

    def __init__(self, board: Board, *, clock: Clock = utc_now, on_notice: OnNotice | None = None) -> None:
        wanted = "a Board, such as InMemoryBoard()"
        self._board = with_methods(board, ("publish", "get", "query_artifacts"), "board", wanted)
        self._clock = clock
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._agents: dict[str, AgentBuilder] = {}
        self._due: deque[tuple[str, Artifact]] = deque()
        self._traces: list[Trace] = []

    @property
    def trace(self) -> tuple[Trace, ...]:
        """The trace of every slice of every run, in order (slices specification 8.3)."""
        return tuple(self._traces)

    def agent(self, name: str) -> AgentBuilder:
        """Describe a new agent. Raises ContextError (invalid_request) if the name is taken or empty."""
        a_text(name, "name")
        if not name or name in self._agents:
            message = f"there is an agent {name!r} already" if name else "an agent needs a name"
            raise invalid(message, hint="visibility is decided by names")
        self._agents[name] = AgentBuilder(name)
        return self._agents[name]

    async def publish(
        self,
        payload: object,
        *,
        type: str | type | None = None,  # noqa: A002 - the artifact's word for it
        tags: Collection[str] = (),
        correlation_id: str | UUID | None = None,
        visibility: Visibility | None = None,
    ) -> Artifact:
        """Publish an artifact, or an object as an artifact, from outside all agents. This starts a new run.

        The type is the object's class by default. Without a correlation id, a new id is created. Raises ContextError
        (invalid_request) for a mapping without a type and an object that cannot be a payload. The fields of an
        `Artifact` are kept.
        """
        correlation = str(correlation_id or uuid4())
        if isinstance(payload, Artifact):
            artifact = replace(payload, correlation_id=payload.correlation_id or correlation)
        else:
            kind, data = _type_of(payload, type), payload_of(payload)
            shown_to = visibility or PUBLIC
            artifact = Artifact(str(uuid4()), kind, data, EXTERNAL, tags, correlation, self._clock(), shown_to)
        await self._publish_and_queue(artifact)
        return artifact.copy()

    async def run_until_idle(self, max_runs: int = MAX_RUNS) -> int:
        """Run every due run and its consequences, and return the number of runs.

        Runs whose artifact is not visible yet stay due for the next call. Exceptions of engines and providers pass
        through, with the rest still due. Raises ContextError (internal) after `max_runs` runs.
        """
        hidden: list[tuple[str, Artifact]] = []
        runs = 0
        try:
            while self._due:
                name, artifact = self._due.popleft()
                agent = self._agents[name].agent
                if not artifact.shows_to(agent, self._clock()):
                    hidden += [(name, artifact)] if artifact.may_show_to(agent) else []
                    continue
                if runs == max_runs:
                    self._due.appendleft((name, artifact))
                    hint = "do two agents feed each other?"
                    raise ContextError("internal", f"not idle after {max_runs} runs", hint=hint)
                runs += 1
                await self._run(agent, artifact)
        finally:
            self._due.extend(hidden)
        return runs

    async def _publish_and_queue(self, artifact: Artifact) -> None:
        await self._board.publish(artifact)
        for name, builder in self._agents.items():
            if name != artifact.produced_by and builder.agent.subscription(artifact.type):
                self._due.append((name, artifact.copy()))

    async def _run(self, agent: Agent, artifact: Artifact) -> None:
        """Run all engines of an agent on one artifact, and publish what each returns before the next engine runs."""
        subscription = agent.subscription(artifact.type)
        context = Context(
            agent,
            self._board,
            EvalInputs((artifact.copy(),)),
            artifact.correlation_id,
            agent_context_provider=subscription.context_provider if subscription else None,
            clock=self._clock,
            on_notice=self._on_notice,
            # Not a bound method, which would give a provider access to the traces of other agents.
            on_trace=lambda trace: self._traces.append(trace),
        )
        for engine in agent.engines:
            result: object = await engine.evaluate(context, EvalInputs((artifact.copy(),)))
            if not isinstance(result, EvalResult):
                name = type(engine).__name__
                raise ContextError("internal", f"{name} returned {type(result).__name__} instead of an EvalResult")
            context.state.update(result.state)
            for output in result.artifacts:
                await self._publish_and_queue(await self._made_artifact(context, output))

    async def _made_artifact(self, context: Context, output: object) -> Artifact:
        """An engine's result as an artifact of its agent and run.

        Raises ContextError: unauthorized for an id that the board has, invalid_request for a type that the agent does
        not publish.
        """
        agent, correlation = context.agent, as_correlation(context.correlation_id)
        if isinstance(output, Artifact):
            if await self._board.get(output.id) is not None:
                raise ContextError("unauthorized", f"{agent.name} would replace the artifact {output.id}")
            artifact = replace(output, produced_by=agent.name, correlation_id=correlation)
        else:
            only = agent.publishes[0] if len(agent.publishes) == 1 else None
            kind = _type_of(output, only if isinstance(output, Mapping) else None)
            id_ = str(uuid4())
            artifact = Artifact(id_, kind, payload_of(output), agent.name, (), correlation, self._clock())
        if artifact.type not in agent.publishes:
            raise invalid(f"{agent.name} does not publish {artifact.type}", hint=f"add .publishes({artifact.type!r})")
        return artifact


def _type_of(payload: object, given: str | type | None) -> str:
    if given is None and isinstance(payload, Mapping):
        raise invalid("a mapping does not say its type", hint="pass type=")
    return type_name(type(payload) if given is None else given)
