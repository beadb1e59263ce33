"""A TPP in Python's standard library, by docs/tpp.md alone: connects, reads and disconnects. openssl signs."""

import base64
import json
import os
import secrets
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

with open(os.environ["ASSAY_BRIEFING"], encoding="utf-8") as file:
    TOLD = json.load(file)
BANK, CLIENT, CUSTOMER = TOLD["bank"], TOLD["client"], TOLD["customer"]
STATE = os.path.join(os.environ["ASSAY_STATE"], "kept.json")
KEPT = json.load(open(STATE, encoding="utf-8")) if os.path.exists(STATE) else {}
STATEMENT = open(CLIENT["softwareStatement"], encoding="utf-8").read()
REDIRECT = CLIENT["redirectUris"][0]
PERMISSIONS = [
    "ReadAccountsDetail",
    "ReadBalances",
    "ReadTransactionsDetail",
    "ReadTransactionsCredits",
    "ReadTransactionsDebits",
]

TLS = ssl.create_default_context(cafile=BANK["trust"])
TLS.load_cert_chain(CLIENT["transport"]["certificate"], CLIENT["transport"]["key"])


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(urllib.request.HTTPSHandler(context=TLS), NoRedirect)


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(10)


def send(url, method="GET", body=None, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named["accept"] = "application/json"
    request = urllib.request.Request(url, data=body, method=method, headers=named)
    try:
        with OPENER.open(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        refuse(f"{method} {urllib.parse.urlsplit(url).path}: {error.code}")
    except OSError as error:
        refuse(f"{method} {urllib.parse.urlsplit(url).path}: {error}")


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def claims_of(jwt):
    part = jwt.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def signed(claims):
    now = int(time.time())
    body = {"iat": now, "nbf": now, "exp": now + 300, "jti": secrets.token_hex(16), **claims}
    header = {"alg": "PS256", "kid": CLIENT["signing"]["kid"], "typ": "JWT"}
    parts = ".".join(base64url(json.dumps(part).encode()) for part in (header, body))
    options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
    command = ["openssl", "dgst", "-sha256", "-sign", CLIENT["signing"]["key"], *options]
    ran = subprocess.run(command, input=parts.encode(), capture_output=True, check=True)
    return f"{parts}.{base64url(ran.stdout)}"


CONFIGURATION = json.loads(send(BANK["discovery"]))


def register():
    if "client" in KEPT:
        return
    software = claims_of(STATEMENT)["software_id"]
    claims = {
        "iss": software,
        "aud": CONFIGURATION["issuer"],
        "software_statement": STATEMENT,
        "software_id": software,
        "redirect_uris": [REDIRECT],
        "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
        "response_types": ["code id_token"],
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_signing_alg": "PS256",
        "request_object_signing_alg": "PS256",
        "id_token_signed_response_alg": "PS256",
        "application_type": "web",
        "scope": "openid accounts",
    }
    body = signed(claims).encode()
    address = CONFIGURATION["registration_endpoint"]
    KEPT["client"] = json.loads(send(address, "POST", body, content_type="application/jwt"))["client_id"]


def token(**form):
    me = KEPT["client"]
    assertion = signed({"iss": me, "sub": me, "aud": CONFIGURATION["token_endpoint"]})
    kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    form = {**form, "client_assertion_type": kind, "client_assertion": assertion}
    body = urllib.parse.urlencode(form).encode()
    return json.loads(send(CONFIGURATION["token_endpoint"], "POST", body, content_type="application/x-www-form-urlencoded"))


def management():
    return f'Bearer {token(grant_type="client_credentials", scope="accounts")["access_token"]}'


CONSENTS = f'{BANK["api"]}/aisp/account-access-consents'


def connect():
    register()
    body = json.dumps({"Data": {"Permissions": PERMISSIONS}, "Risk": {}}).encode()
    created = send(CONSENTS, "POST", body, authorization=management(), content_type="application/json")
    KEPT["consent"] = json.loads(created)["Data"]["ConsentId"]
    asked = {
        "client_id": KEPT["client"],
        "response_type": "code id_token",
        "redirect_uri": REDIRECT,
        "scope": "openid accounts",
        "state": secrets.token_hex(16),
    }
    intent = {"openbanking_intent_id": {"value": KEPT["consent"], "essential": True}}
    claims = {**asked, "iss": KEPT["client"], "aud": CONFIGURATION["issuer"], "nonce": secrets.token_hex(16)}
    request = signed({**claims, "claims": {"id_token": intent}})
    link = f'{CONFIGURATION["authorization_endpoint"]}?{urllib.parse.urlencode({**asked, "request": request})}'
    visit = urllib.request.urlopen(CUSTOMER["visit"] + urllib.parse.quote(link, safe=""), timeout=30)
    home = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(visit.read().decode()).fragment))
    if home.get("state") != asked["state"]:
        refuse("the state is not ours")
    if "code" not in home:
        refuse(f'no code came: {home.get("error")}')
    KEPT["access"] = token(grant_type="authorization_code", code=home["code"], redirect_uri=REDIRECT)["access_token"]
    read()


def read():
    if "access" not in KEPT:
        refuse("there is no access token: connect first")
    for path in ("accounts", "balances", "transactions"):
        headers = {"authorization": f'Bearer {KEPT["access"]}', "x_fapi_customer_ip_address": "198.51.100.7"}
        if "Data" not in json.loads(send(f'{BANK["api"]}/aisp/{path}', **headers)):
            refuse(f"{path}: no Data came")


def disconnect():
    send(f'{CONSENTS}/{urllib.parse.quote(KEPT["consent"], safe="")}', "DELETE", authorization=management())
    KEPT.pop("access", None)


GOALS = {"connect": connect, "read": read, "disconnect": disconnect}
try:
    GOALS.get(TOLD["goal"], lambda: refuse(f'this client has no {TOLD["goal"]}'))()
finally:
    with open(STATE, "w", encoding="utf-8") as file:
        json.dump(KEPT, file)
