import type { Part } from '../engine/configuration/addresses.ts'
import { isObject } from '../engine/record/json.ts'
import { partsOf } from './init-discovery.ts'

/** A text of the file that init starts from, and the member that contains it. */
export interface Given {
  member: string
  text: string
}

/** What such a file says about one client. */
export interface GivenClient {
  clientId?: Given
  kid?: Given
  statement?: Given
  redirectUris?: Given
  scope?: Given
  /** PEM, leaf first. */
  certificate?: Given
  key?: Given
  /** PEM, or the JSON of a private JWK. */
  signingKey?: Given
}

/** What a file of another program says about a bank and its clients. */
export interface Foreign {
  /** Which program's file it is, in words. */
  format: string
  name?: Given
  discovery?: Given
  issuer?: Given
  endpoints: Partial<Record<Part, Given>>
  trust?: Given
  first: GivenClient
  second?: GivenClient
  /** Members that are not needed here, or must not be taken over. */
  left: { member: string; why: string }[]
}

type Document = Record<string, unknown>

const SECRET_OF_CLIENT = 'clients prove themselves by certificate and signed assertion here'

/** Reads a member by its path; undefined when it is not a text or is empty. */
function reader(document: Document) {
  return (path: string): Given | undefined => {
    let value: unknown = document
    for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined
    return typeof value === 'string' && value.trim() !== ''
      ? { member: path, text: value }
      : undefined
  }
}

const list = (values: unknown, member: string): Given | undefined => {
  const texts = Array.isArray(values) ? values.filter((each) => typeof each === 'string') : []
  return texts.length > 0 ? { member, text: texts.join(', ') } : undefined
}

/**
 * Recognises the file of another program by its content; undefined when the form is unknown.
 *
 * Formats: the OBIE functional conformance suite (configuration, discovery model), the OBIE suite of dynamic client
 * registration, the OpenID Foundation's conformance suite, a Postman environment, a discovery document (OpenID Connect
 * Discovery 1.0, 3).
 */
export function foreignOf(document: Document): Foreign | undefined {
  if (Array.isArray(document.values)) return postman(document)
  if (isObject(document.discoveryModel)) return discoveryModel(document.discoveryModel)
  if ('wellknown_endpoint' in document) return registrationSuite(document)
  if ('signing_private' in document || 'resource_base_url' in document) return functional(document)
  if (isObject(document.server) && ['client', 'mtls', 'alias'].some((name) => name in document)) {
    return openidFoundation(document)
  }
  if (typeof document.issuer === 'string' && 'authorization_endpoint' in document) {
    return discoveryDocument(document)
  }
  return undefined
}

/** `GlobalConfiguration` of the OBIE functional conformance suite. */
function functional(document: Document): Foreign {
  const at = reader(document)
  return {
    format: 'configuration of the OBIE functional conformance suite',
    issuer: at('issuer'),
    endpoints: {
      token: at('token_endpoint'),
      authorisation: at('authorization_endpoint'),
      aisp: api(at('resource_base_url')),
    },
    first: {
      clientId: at('client_id'),
      kid: at('tpp_signature_kid'),
      redirectUris: at('redirect_url'),
      certificate: at('transport_public'),
      key: at('transport_private'),
      signingKey: at('signing_private'),
    },
    left: leftOf(at, { client_secret: SECRET_OF_CLIENT }),
  }
}

/** `discovery-model` of the OBIE functional conformance suite: it has only addresses. */
function discoveryModel(model: Document): Foreign {
  const items = Array.isArray(model.discoveryItems) ? model.discoveryItems.filter(isObject) : []
  const isAccounts = (item: Document) =>
    isObject(item.apiSpecification) && /^Account/.test(String(item.apiSpecification.name))
  const at = reader(items.find(isAccounts) ?? items[0] ?? {})
  return {
    format: 'discovery model of the OBIE functional conformance suite',
    name: reader(model)('name'),
    discovery: at('openidConfigurationUri'),
    endpoints: { aisp: api(at('resourceBaseUri')) },
    first: {},
    left: [],
  }
}

/** Configuration of the OBIE suite of dynamic client registration. */
function registrationSuite(document: Document): Foreign {
  const at = reader(document)
  return {
    format: 'configuration of the OBIE suite of dynamic client registration',
    discovery: at('wellknown_endpoint'),
    endpoints: {},
    trust: list(document.transport_root_cas, 'transport_root_cas'),
    first: {
      statement: at('ssa'),
      kid: at('kid'),
      redirectUris: list(document.redirect_uris, 'redirect_uris'),
      certificate: at('transport_cert'),
      key: at('transport_key'),
      signingKey: at('private_key'),
    },
    left: leftOf(at, { client_id: 'the suite registers clients itself, and so does a run' }),
  }
}

/** A test configuration of the conformance suite of the OpenID Foundation. */
function openidFoundation(document: Document): Foreign {
  const at = reader(document)
  const { client2, mtls2 } = document
  const server = isObject(document.server) ? document.server : {}
  const parts = Object.entries(partsOf(server)).map(([part, text]) => {
    return [part, { member: `server, ${part}`, text }]
  })
  const alias = at('alias')
  const redirect = 'the suite of the OpenID Foundation answers at its own: name one of yours'
  return {
    format: 'configuration of the conformance suite of the OpenID Foundation',
    name: alias,
    discovery: at('server.discoveryUrl'),
    issuer: at('server.issuer'),
    endpoints: { ...Object.fromEntries(parts), aisp: api(at('resource.resourceUrl')) },
    first: openidClient(document, 'client', 'mtls'),
    ...((isObject(client2) || isObject(mtls2)) && {
      second: openidClient(document, 'client2', 'mtls2'),
    }),
    left: [
      ...(alias ? [{ member: 'redirect URI', why: redirect }] : []),
      ...leftOf(at, {
        'client.client_secret': SECRET_OF_CLIENT,
        'resource.institution_id': 'no sentence of the documents asks for it',
      }),
      ...(document.browser === undefined
        ? []
        : [{ member: 'browser', why: 'its steps are of another form: docs/approvals.md' }]),
    ],
  }
}

function openidClient(document: Document, client: string, mtls: string): GivenClient {
  const at = reader(document)
  const { jwks } = (document[client] ?? {}) as Document
  const certificate = at(`${mtls}.cert`)
  const chain = at(`${mtls}.ca`)
  const signingKey = signingJwk(jwks, `${client}.jwks`)
  return {
    clientId: at(`${client}.client_id`),
    scope: at(`${client}.scope`),
    certificate: certificate && {
      member: chain ? `${certificate.member} and ca` : certificate.member,
      text: [certificate.text, chain?.text ?? ''].join('\n'),
    },
    key: at(`${mtls}.key`),
    ...(signingKey && { signingKey: signingKey.key, kid: signingKey.kid }),
  }
}

/** The private RSA signing key of a JWK Set, preferably one for PS256. */
function signingJwk(jwks: unknown, member: string): { key: Given; kid?: Given } | undefined {
  const keys = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys.filter(isObject) : []
  const usable = keys.filter(({ kty, d, use }) => kty === 'RSA' && Boolean(d) && use !== 'enc')
  const key = usable.find(({ alg }) => alg === 'PS256') ?? usable[0]
  if (!key) return undefined
  const { kid } = key
  return {
    key: { member, text: JSON.stringify(key, null, 2) },
    ...(typeof kid === 'string' && { kid: { member: `${member} (kid)`, text: kid } }),
  }
}

/** A bank's discovery document that was saved as a file. */
function discoveryDocument(document: Document): Foreign {
  const parts = Object.entries(partsOf(document)).map(([part, text]) => {
    return [part, { member: part, text }]
  })
  return {
    format: 'discovery document',
    issuer: reader(document)('issuer'),
    endpoints: Object.fromEntries(parts),
    first: {},
    left: [],
  }
}

/**
 * The address of the API: /accounts at the end is removed, and the path of the documents is added when the URL has no
 * path.
 */
function api(given: Given | undefined): Given | undefined {
  if (!given || !URL.canParse(given.text)) return given
  const url = given.text.replace(/(?<!\/)\/+$/, '').replace(/\/accounts$/, '')
  const { pathname } = new URL(url)
  if (pathname === '/') return { ...given, text: `${url}/open-banking/v3.1/aisp` }
  return { ...given, text: url.endsWith('/open-banking/v3.1') ? `${url}/aisp` : url }
}

function leftOf(at: (path: string) => Given | undefined, reasons: Record<string, string>) {
  return Object.entries(reasons).flatMap(([member, why]) => (at(member) ? [{ member, why }] : []))
}

/** Names of keys in a Postman environment, in lower case and without separators. */
const SPELLINGS: Record<string, readonly string[]> = {
  discovery: [
    ...['wellknown', 'wellknownurl', 'wellknownendpoint', 'discoveryurl', 'discoveryendpoint'],
    ...['openidconfiguration', 'openidconfigurationuri', 'openidconfigurationurl', 'oidcdiscovery'],
  ],
  issuer: ['issuer', 'asissuer', 'asissuerid'],
  token: ['tokenendpoint', 'tokenurl', 'astokenendpoint'],
  authorisation: [
    ...['authorizationendpoint', 'authorisationendpoint', 'asauthorizationendpoint'],
    ...['authorizeurl', 'authorizeendpoint', 'authurl', 'authendpoint'],
  ],
  registration: [
    ...['registrationendpoint', 'registrationurl', 'aspspregistrationendpoint'],
    ...['dcrendpoint', 'dcrurl', 'registerendpoint'],
  ],
  aisp: [
    'resourcebaseurl',
    'rsbaseurl',
    'rsbase',
    'aispbaseurl',
    'apibaseurl',
    'aispurl',
    'baseurl',
  ],
  clientId: ['clientid', 'tppclientid'],
  kid: ['kid', 'signingkid', 'signingkeyid', 'obsigningkeyid', 'obkid', 'tppsignaturekid'],
  statement: ['ssa', 'ssajwt', 'softwarestatement', 'softwarestatementassertion'],
  redirectUris: ['redirecturi', 'redirecturis', 'redirecturl', 'callbackurl', 'clientredirecturi'],
  certificate: ['transportcertificate', 'transportcert', 'transportpublic', 'transportpem'],
  key: ['transportkey', 'transportprivate', 'transportprivatekey'],
  signingKey: [
    'signingkey',
    'signingprivate',
    'signingprivatekey',
    'privatekey',
    'obsealprivatekey',
  ],
}

/** Members that are never taken over: everybody who reads the target file would see them. */
const SECRET = /secret|password|passphrase|token$/i

/** A Postman environment: recognises usual names, and replaces {{names}} in values. */
function postman(document: Document): Foreign {
  const values = (document.values as unknown[]).filter(isObject)
  const rows = values.flatMap(({ key, value, enabled }) =>
    typeof key === 'string' && typeof value === 'string' && enabled !== false ? [[key, value]] : [],
  ) as [string, string][]
  const variables = new Map(rows)
  const left: Foreign['left'] = []
  const at = (what: string): Given | undefined => {
    const spelled = SPELLINGS[what] ?? []
    const found = spelled.flatMap((name) => rows.filter(([key]) => plain(key) === name))
    for (const [member, raw] of found) {
      const text = filled(raw, variables)
      if (text.includes('{{')) left.push({ member, why: 'it names a variable that is not there' })
      else if (text.trim() !== '') return { member, text }
    }
    return undefined
  }
  for (const [member, text] of rows) {
    if (text !== '' && SECRET.test(member)) {
      left.push({
        member,
        why: 'a secret: name an environment variable for it, where one is needed',
      })
    }
  }
  return {
    format: 'Postman environment',
    name: reader(document)('name'),
    discovery: at('discovery'),
    issuer: at('issuer'),
    endpoints: {
      token: at('token'),
      authorisation: at('authorisation'),
      registration: at('registration'),
      aisp: api(at('aisp')),
    },
    first: {
      clientId: at('clientId'),
      kid: at('kid'),
      statement: at('statement'),
      redirectUris: at('redirectUris'),
      certificate: at('certificate'),
      key: at('key'),
      signingKey: at('signingKey'),
    },
    left,
  }
}

const plain = (key: string) => key.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Limits for variables that refer to variables: the depth, and the length of the resulting text. */
const DEEPEST = 5
const LONGEST = 64 * 1024

function filled(text: string, variables: ReadonlyMap<string, string>): string {
  let now = text
  for (let depth = 0; depth < DEEPEST && now.includes('{{') && now.length < LONGEST; depth += 1) {
    now = now.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole)
  }
  return now
}
