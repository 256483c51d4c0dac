"""The builder of agents: identity, consumed and published types, and context provider."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ctxtui.core.tokens.arguments import with_methods
from ctxtui.slices.composite import FallbackProvider
from ctxtui.slices.filters import FilterConfig
from ctxtui.slices.json_data import type_name
from ctxtui.slices.providers import FilteredContextProvider
from ctxtui.slices.types import Agent, ContextProvider, Engine, Subscription, a_provider
from ctxtui.slices.visibility import words


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
        """Set the provider for all its engines. `fallback` is called if that raises, not if it returns nothing.

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
        provider = FilteredContextProvider(
            filters or FilterConfig(), limit, include_state_keys=include_state_keys or ()
        )
        return self.with_context(provider)

    def with_engines(self, *engines: Engine) -> AgentBuilder:
        """Add engines, which run in this order. Raises TypeError for anything but an engine."""
        for engine in engines:
            with_methods(engine, ("evaluate",), "each argument", "an EngineComponent")
        return self._with(replace(self.agent, engines=self.agent.engines + engines))
