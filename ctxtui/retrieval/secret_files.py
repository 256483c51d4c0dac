"""Files that hold secrets by purpose: they are never read for any prompt."""

from __future__ import annotations

from typing import Final

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.secrets import find_secrets

_NAMES: Final = frozenset(
    ".env .envrc .npmrc .yarnrc.yml .netrc _netrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg"
    " kubeconfig wp-config.php credentials secrets".split()
)
_BEGINNINGS: Final = (".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")
_ENDINGS: Final = tuple(
    ".env .pem .key .ppk .p12 .pfx .jks .keystore .kdbx .ovpn .tfstate .tfstate.backup .tfvars .tfvars.json".split()
)
# In the name of a document these words are its topic, in the name of a data file its content.
_DATA_NAMES: Final = frozenset("secret secrets token tokens".split())
_DATA_BEGINNINGS: Final = ("credential", "secrets.", "client_secret", "service-account", "service_account")
_DATA: Final = frozenset("json yml yaml toml ini cfg conf csv txt xml properties plist".split())
_PATHS: Final = (".docker/config.json", ".kube/config")


def is_secret_file(path: str, cache: Cache | None = None) -> bool:
    """Whether a path names a file that holds secrets by its purpose, or contains a credential itself."""
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    is_telling = name in _NAMES or name.startswith(_BEGINNINGS) or name.endswith(_ENDINGS)
    is_data = ending in _DATA and (stem in _DATA_NAMES or stem.startswith(_DATA_BEGINNINGS))
    return is_telling or is_data or lowered.endswith(_PATHS) or bool(find_secrets(path, cache))
