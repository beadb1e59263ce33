// A TPP in Go's standard library, by docs/tpp.md alone: connects, reads and disconnects.
package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type object = map[string]any

var told struct {
	Goal string `json:"goal"`
	Bank struct {
		Discovery string `json:"discovery"`
		Api       string `json:"api"`
		Trust     string `json:"trust"`
	} `json:"bank"`
	Client struct {
		Transport struct {
			Certificate string `json:"certificate"`
			Key         string `json:"key"`
		} `json:"transport"`
		Signing struct {
			Key string `json:"key"`
			Kid string `json:"kid"`
		} `json:"signing"`
		SoftwareStatement string   `json:"softwareStatement"`
		RedirectUris      []string `json:"redirectUris"`
	} `json:"client"`
	Customer struct {
		Visit string `json:"visit"`
	} `json:"customer"`
}

var kept = map[string]string{}
var configuration object
var client *http.Client
var key *rsa.PrivateKey

func refuse(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	keep()
	os.Exit(10)
}

func must[T any](value T, err error) T {
	if err != nil {
		refuse("%v", err)
	}
	return value
}

func file(name string) []byte { return must(os.ReadFile(name)) }

func memory() string { return filepath.Join(os.Getenv("ASSAY_STATE"), "kept.json") }

func keep() { _ = os.WriteFile(memory(), must(json.Marshal(kept)), 0o600) }

func random() string {
	octets := make([]byte, 16)
	must(rand.Read(octets))
	return hex.EncodeToString(octets)
}

func send(method, address, token, kind, body string) string {
	request := must(http.NewRequest(method, address, strings.NewReader(body)))
	request.Header.Set("Accept", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("x-fapi-customer-ip-address", "198.51.100.7")
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	answer := must(client.Do(request))
	defer answer.Body.Close()
	text := string(must(io.ReadAll(answer.Body)))
	if answer.StatusCode >= 300 {
		refuse("%s %s: %d", method, request.URL.Path, answer.StatusCode)
	}
	return text
}

func parsed(text string) object {
	var value object
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		refuse("an answer is no JSON object: %v", err)
	}
	return value
}

func text(value object, path ...string) string {
	for _, name := range path[:len(path)-1] {
		inner, is := value[name].(object)
		if !is {
			refuse("an answer has no %s", name)
		}
		value = inner
	}
	found, is := value[path[len(path)-1]].(string)
	if !is {
		refuse("an answer has no %s", strings.Join(path, "."))
	}
	return found
}

func claimsOf(jwt string) object {
	return parsed(string(must(base64.RawURLEncoding.DecodeString(strings.Split(jwt, ".")[1]))))
}

func signed(claims object) string {
	now := time.Now().Unix()
	claims["iat"], claims["nbf"], claims["exp"], claims["jti"] = now, now, now+300, random()
	header := object{"alg": "PS256", "kid": told.Client.Signing.Kid, "typ": "JWT"}
	part := func(value object) string {
		return base64.RawURLEncoding.EncodeToString(must(json.Marshal(value)))
	}
	input := part(header) + "." + part(claims)
	digest := sha256.Sum256([]byte(input))
	options := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	signature := must(rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], options))
	return input + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func register() {
	if kept["client"] != "" {
		return
	}
	statement := string(file(told.Client.SoftwareStatement))
	software := text(claimsOf(statement), "software_id")
	jwt := signed(object{
		"iss":                             software,
		"aud":                             text(configuration, "issuer"),
		"software_statement":              statement,
		"software_id":                     software,
		"redirect_uris":                   told.Client.RedirectUris[:1],
		"grant_types":                     []string{"authorization_code", "refresh_token", "client_credentials"},
		"response_types":                  []string{"code id_token"},
		"token_endpoint_auth_method":      "private_key_jwt",
		"token_endpoint_auth_signing_alg": "PS256",
		"request_object_signing_alg":      "PS256",
		"id_token_signed_response_alg":    "PS256",
		"application_type":                "web",
		"scope":                           "openid accounts",
	})
	address := text(configuration, "registration_endpoint")
	kept["client"] = text(parsed(send("POST", address, "", "application/jwt", jwt)), "client_id")
}

func token(form url.Values) string {
	me, address := kept["client"], text(configuration, "token_endpoint")
	form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	form.Set("client_assertion", signed(object{"iss": me, "sub": me, "aud": address}))
	answer := send("POST", address, "", "application/x-www-form-urlencoded", form.Encode())
	return text(parsed(answer), "access_token")
}

func management() string {
	return token(url.Values{"grant_type": {"client_credentials"}, "scope": {"accounts"}})
}

func consents() string { return told.Bank.Api + "/aisp/account-access-consents" }

func connect() {
	register()
	permissions := []string{"ReadAccountsDetail", "ReadBalances", "ReadTransactionsDetail", "ReadTransactionsCredits", "ReadTransactionsDebits"}
	body := must(json.Marshal(object{"Data": object{"Permissions": permissions}, "Risk": object{}}))
	created := send("POST", consents(), management(), "application/json", string(body))
	kept["consent"] = text(parsed(created), "Data", "ConsentId")

	query := url.Values{}
	claims := object{"iss": kept["client"], "aud": text(configuration, "issuer"), "nonce": random()}
	for name, value := range map[string]string{
		"client_id":     kept["client"],
		"response_type": "code id_token",
		"redirect_uri":  told.Client.RedirectUris[0],
		"scope":         "openid accounts",
		"state":         random(),
	} {
		query.Set(name, value)
		claims[name] = value
	}
	intent := object{"value": kept["consent"], "essential": true}
	claims["claims"] = object{"id_token": object{"openbanking_intent_id": intent}}
	query.Set("request", signed(claims))
	link := text(configuration, "authorization_endpoint") + "?" + query.Encode()
	visit := must(http.Get(told.Customer.Visit + url.QueryEscape(link)))
	defer visit.Body.Close()
	home := must(url.Parse(string(must(io.ReadAll(visit.Body)))))
	fragment := must(url.ParseQuery(home.EscapedFragment()))
	if fragment.Get("state") != query.Get("state") {
		refuse("the state is not ours")
	}
	if fragment.Get("code") == "" {
		refuse("no code came: %s", fragment.Get("error"))
	}
	kept["access"] = token(url.Values{
		"grant_type":   {"authorization_code"},
		"code":         {fragment.Get("code")},
		"redirect_uri": {told.Client.RedirectUris[0]},
	})
	read()
}

func read() {
	if kept["access"] == "" {
		refuse("there is no access token: connect first")
	}
	for _, path := range []string{"accounts", "balances", "transactions"} {
		if _, is := parsed(send("GET", told.Bank.Api+"/aisp/"+path, kept["access"], "", ""))["Data"]; !is {
			refuse("%s: no Data came", path)
		}
	}
}

func disconnect() {
	send("DELETE", consents()+"/"+url.PathEscape(kept["consent"]), management(), "", "")
	delete(kept, "access")
}

func main() {
	if err := json.Unmarshal(file(os.Getenv("ASSAY_BRIEFING")), &told); err != nil {
		refuse("the briefing is no JSON: %v", err)
	}
	if known, err := os.ReadFile(memory()); err == nil {
		_ = json.Unmarshal(known, &kept)
	}
	block, _ := pem.Decode(file(told.Client.Signing.Key))
	key = must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*rsa.PrivateKey)
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(file(told.Bank.Trust))
	own := must(tls.LoadX509KeyPair(told.Client.Transport.Certificate, told.Client.Transport.Key))
	settings := &tls.Config{RootCAs: trust, Certificates: []tls.Certificate{own}}
	transport := &http.Transport{TLSClientConfig: settings}
	// Go's own ProxyFromEnvironment leaves loopback out.
	if proxy := os.Getenv("HTTPS_PROXY"); proxy != "" {
		transport.Proxy = http.ProxyURL(must(url.Parse(proxy)))
	}
	client = &http.Client{
		Timeout:       20 * time.Second,
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	configuration = parsed(send("GET", told.Bank.Discovery, "", "", ""))
	goals := map[string]func(){"connect": connect, "read": read, "disconnect": disconnect}
	pursue, known := goals[told.Goal]
	if !known {
		refuse("this client has no %s", told.Goal)
	}
	pursue()
	keep()
}
