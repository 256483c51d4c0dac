"""Files that hold secrets by purpose: they are never read for any prompt."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import Final

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.secrets import find_secrets

_NAMES: Final = (
    ".env .env.* *.env .envrc *.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.kdbx *.ovpn *.tfstate *.tfstate.backup"
    " *.tfvars *.tfvars.json id_rsa* id_dsa* id_ecdsa* id_ed25519* .npmrc .yarnrc.yml .netrc _netrc .pypirc .pgpass"
    " .my.cnf .htpasswd .git-credentials .dockercfg kubeconfig wp-config.php credentials secrets"
).split()
# In the name of a document these words are its topic, in the name of a data file its content.
_DATA_NAMES: Final = "credential* secret secrets secrets.* client_secret* service[-_]account* token tokens".split()
_DATA: Final = "json yml yaml toml ini cfg conf csv txt xml properties plist".split()
_PATHS: Final = (".docker/config.json", ".kube/config")
_PATTERN: Final = re.compile(
    "|".join(map(translate, [*_NAMES, *(f"{name}.{suffix}" for name in _DATA_NAMES for suffix in _DATA)])),
)


def is_secret_file(path: str, cache: Cache | None = None) -> bool:
    """Whether a path names a secret file, or contains a credential itself."""
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    return bool(_PATTERN.match(name)) or lowered.endswith(_PATHS) or bool(find_secrets(path, cache))
