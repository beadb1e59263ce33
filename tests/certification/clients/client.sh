#!/usr/bin/env bash
# A TPP in bash, curl and openssl, by docs/tpp.md alone: connects, reads and disconnects.
set -euo pipefail

here=$(dirname "$ASSAY_BRIEFING")
state=$ASSAY_STATE

fail() { echo "$*" >&2; exit 10; }
trap 'fail "$BASH_COMMAND did not succeed"' ERR

# The first member of this name whose value is a string, in JSON from stdin.
member() { tr '\n' ' ' | grep -o "\"$1\" *: *\"[^\"]*\"" | head -1 | sed 's/^"[^"]*" *: *"\(.*\)"$/\1/'; }
told() { member "$1" < "$ASSAY_BRIEFING"; }
kept() { cat "$state/$1" 2> /dev/null || fail "there is no $1: connect first"; }
now() { date +%s; }
random() { openssl rand -hex 16; }
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
encoded() { printf %s "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ \(..\)/%\1/g'; }

api=$(told api)
redirect=$(tr -d '\n' < "$ASSAY_BRIEFING" | grep -o '"redirectUris" *: *\[ *"[^"]*"' | sed 's/.*"\([^"]*\)"$/\1/')
software=$(cut -d. -f2 "$here/software-statement.jwt" | tr -- '-_' '+/' \
  | awk '{ while (length($0) % 4) $0 = $0 "="; print }' | openssl base64 -d -A | member software_id)

ask() { curl --silent --show-error --fail-with-body --max-time 20 --cacert "$here/ca.pem" --cert "$here/transport.pem" --key "$here/transport.key" -H 'Accept: application/json' "$@"; }

# A JWS with PS256 of these claims.
signed() {
  local input
  input=$(printf '{"alg":"PS256","kid":"%s","typ":"JWT"}' "$(told kid)" | base64url).$(printf %s "$1" | base64url)
  printf '%s.%s' "$input" "$(printf %s "$input" | openssl dgst -sha256 -sign "$here/signing.key" \
    -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest | base64url)"
}

configuration=$(ask "$(told discovery)")
issuer=$(member issuer <<< "$configuration")
token_endpoint=$(member token_endpoint <<< "$configuration")

register() {
  [ -s "$state/client" ] && return
  local claims at answer
  at=$(now)
  claims=$(printf '{"iss":"%s","aud":"%s","iat":%s,"exp":%s,"jti":"%s","software_statement":"%s","redirect_uris":["%s"],"grant_types":["authorization_code","refresh_token","client_credentials"],"response_types":["code id_token"],"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_signing_alg":"PS256","request_object_signing_alg":"PS256","id_token_signed_response_alg":"PS256","application_type":"web","scope":"openid accounts","software_id":"%s"}' \
    "$software" "$issuer" "$at" $((at + 300)) "$(random)" "$(cat "$here/software-statement.jwt")" "$redirect" "$software")
  answer=$(signed "$claims" | ask -H 'Content-Type: application/jwt' --data-binary @- "$(member registration_endpoint <<< "$configuration")")
  member client_id <<< "$answer" > "$state/client"
}

# A token response to these form parameters.
token() {
  local at claims
  at=$(now)
  claims=$(printf '{"iss":"%s","sub":"%s","aud":"%s","iat":%s,"exp":%s,"jti":"%s"}' \
    "$(kept client)" "$(kept client)" "$token_endpoint" "$at" $((at + 300)) "$(random)")
  ask "$@" --data-urlencode 'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer' \
    --data-urlencode "client_assertion=$(signed "$claims")" "$token_endpoint"
}

management() { token -d grant_type=client_credentials -d scope=accounts | member access_token; }

connect() {
  register
  local consent at state_value nonce claims query home fragment answer
  consent=$(ask -H "Authorization: Bearer $(management)" -H 'Content-Type: application/json' \
    -d '{"Data":{"Permissions":["ReadAccountsDetail","ReadBalances","ReadTransactionsDetail","ReadTransactionsCredits","ReadTransactionsDebits"]},"Risk":{}}' \
    "$api/aisp/account-access-consents" | member ConsentId)
  printf %s "$consent" > "$state/consent"
  at=$(now)
  state_value=$(random)
  nonce=$(random)
  claims=$(printf '{"iss":"%s","aud":"%s","iat":%s,"nbf":%s,"exp":%s,"jti":"%s","client_id":"%s","response_type":"code id_token","redirect_uri":"%s","scope":"openid accounts","state":"%s","nonce":"%s","claims":{"id_token":{"openbanking_intent_id":{"value":"%s","essential":true}}}}' \
    "$(kept client)" "$issuer" "$at" "$at" $((at + 300)) "$(random)" "$(kept client)" "$redirect" "$state_value" "$nonce" "$consent")
  query="client_id=$(encoded "$(kept client)")&response_type=code%20id_token&redirect_uri=$(encoded "$redirect")&scope=openid%20accounts&state=$state_value&request=$(signed "$claims")"
  home=$(curl --silent --show-error --fail-with-body --max-time 30 "$(told visit)$(encoded "$(member authorization_endpoint <<< "$configuration")?$query")")
  fragment=${home#*#}
  [[ "&$fragment&" == *"&state=$state_value&"* ]] || fail "the state is not ours: ${home%%#*}"
  [[ "&$fragment" =~ \&code=([^&]+) ]] || fail "no code came: $fragment"
  answer=$(token -d grant_type=authorization_code -d "code=${BASH_REMATCH[1]}" --data-urlencode "redirect_uri=$redirect")
  member access_token <<< "$answer" > "$state/access"
  readData
}

readData() {
  local path
  for path in accounts balances transactions; do
    ask -H "Authorization: Bearer $(kept access)" -H 'x-fapi-customer-ip-address: 198.51.100.7' \
      "$api/aisp/$path" | grep -q '"Data"' || fail "$path: no Data came"
  done
}

disconnect() {
  ask -X DELETE -H "Authorization: Bearer $(management)" "$api/aisp/account-access-consents/$(kept consent)"
  rm -f "$state/access"
}

case $ASSAY_GOAL in
  connect) connect ;;
  read) readData ;;
  disconnect) disconnect ;;
  *) fail "this client has no $ASSAY_GOAL" ;;
esac
