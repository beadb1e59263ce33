import type { Context, Next } from 'koa'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { Settings } from '../../bank/state/settings.ts'
import type { ClientDocument, TargetDocument } from '../../engine/configuration/target.ts'

/** One thing that is wrong with a first run, and how it is brought about. */
export interface Broken {
  /** In words, for the table of docs/doctor.md. */
  what: string
  /** Breaks the target of a bank that is right. */
  document?: (target: TargetDocument, around: Around) => void
  /** Breaks the text of the target file. */
  text?: (yaml: string) => string
  settings?: Partial<Settings>
  middleware?: Alteration['middleware']
  exitCode: 0 | 2 | 3
}

/** Servers and credentials that breaking takes. */
export interface Around {
  bank: Bank
  /** A port of loopback on which nothing listens. */
  closedPort: number
  /** Listens with a certificate for another name, and with one that has expired. */
  otherName: string
  expired: string
  /** PEM of the authority of these two. */
  authority: string
  /** A proxy that asks for a password. */
  proxy: string
  /** Base64 of a PKCS#12 file with ciphers that OpenSSL 3 calls legacy. */
  legacy: string
  /** PEM of an elliptic curve key, and of a key with a passphrase. */
  curve: string
  locked: string
}

const first = (target: TargetDocument): ClientDocument => target.clients.first

/** Claims of the software statement changed; nobody looks at its signature before the bank. */
function restated(target: TargetDocument, over: Record<string, unknown>): void {
  const [head, claims = '', signature] = (first(target).softwareStatement ?? '').split('.')
  const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), ...over }
  const text = Buffer.from(JSON.stringify(changed)).toString('base64url')
  first(target).softwareStatement = `${head}.${text}.${signature}`
}

/** After the bank has answered what the condition names. */
function after(applies: (ctx: Context) => boolean, change: (ctx: Context) => void) {
  return async (ctx: Context, next: Next) => {
    await next()
    if (applies(ctx)) change(ctx)
  }
}

const at = (path: string) => (ctx: Context) => ctx.path.endsWith(path)
const CONFIGURATION = '/.well-known/openid-configuration'

export const brokenConfigurations: Broken[] = [
  {
    what: 'nothing',
    exitCode: 0,
  },
  {
    what: 'an environment variable is not set',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the target file's own syntax
    text: (yaml) => yaml.replace(/^name: .*$/m, 'name: ${NO_SUCH_NAME}'),
    exitCode: 2,
  },
  {
    what: 'a file is not where the target says',
    document: (target) => {
      first(target).transport.certificate = 'file:no-such.pem'
    },
    exitCode: 2,
  },
  {
    what: 'a member is misspelt',
    text: (yaml) => yaml.replace(/^addresses:/m, 'adresses:'),
    exitCode: 2,
  },
  {
    what: 'the private key is that of another certificate',
    document: (target, { bank }) => {
      first(target).transport.key = bank.services.directory.clients.second.transport.key
    },
    exitCode: 2,
  },
  {
    what: 'the private key is encrypted, the passphrase is not given',
    document: (target, { locked }) => {
      first(target).transport.key = locked
    },
    exitCode: 2,
  },
  {
    what: 'the PKCS#12 file was made years ago',
    document: (target, { legacy }) => {
      first(target).transport = { pkcs12: legacy, passphrase: 'canary-passphrase' }
    },
    exitCode: 2,
  },
  {
    what: 'the signing key is an elliptic curve key',
    document: (target, { curve }) => {
      first(target).signing.key = curve
    },
    exitCode: 2,
  },
  {
    what: 'the transport certificate has expired',
    document: (target, { bank }) => {
      first(target).transport = { ...bank.services.directory.refused.expired }
    },
    exitCode: 2,
  },
  {
    what: 'a server certificate stands where the transport certificate belongs',
    document: (target, { bank }) => {
      first(target).transport = { ...bank.services.directory.server }
    },
    exitCode: 2,
  },
  {
    what: 'a wrong intermediate follows the transport certificate',
    document: (target, { authority }) => {
      first(target).transport.certificate += authority
    },
    exitCode: 2,
  },
  {
    what: 'the software statement has expired',
    document: (target) => restated(target, { exp: Date.UTC(2026, 0, 2) / 1000 }),
    exitCode: 2,
  },
  {
    what: 'the software statement is of another organisation',
    document: (target) => restated(target, { org_id: '0015800001ZEc3AAAT' }),
    exitCode: 2,
  },
  {
    what: 'the software is not enrolled as AISP',
    document: (target) => restated(target, { software_roles: ['PISP'] }),
    exitCode: 2,
  },
  {
    what: 'a redirect URI ends in a slash, that of the statement does not',
    document: (target) => {
      first(target).redirectUris = ['https://tally.example/callback/']
    },
    exitCode: 2,
  },
  {
    what: 'the kid is not published',
    document: (target) => {
      first(target).signing.kid = 'yesterday'
    },
    exitCode: 2,
  },
  {
    what: 'the signing key is not the one of the kid',
    document: (target) => {
      first(target).signing.key = target.clients.second?.signing.key ?? ''
    },
    exitCode: 2,
  },
  {
    what: 'the name of the bank is misspelt',
    document: (target) => {
      target.addresses.base_url = 'https://api.bank.invalid'
    },
    exitCode: 3,
  },
  {
    what: 'nothing listens on the port',
    document: (target, { closedPort }) => {
      target.addresses.base_url = `https://127.0.0.1:${closedPort}`
    },
    exitCode: 3,
  },
  {
    what: 'an address begins with http:',
    document: (target) => {
      target.addresses.discovery_url = target.addresses.discovery_url?.replace('https:', 'http:')
    },
    exitCode: 2,
  },
  {
    what: 'the port does not speak TLS',
    document: (target, { bank }) => {
      target.addresses.product_api_url = `https://${new URL(bank.operatorUrl).host}`
    },
    exitCode: 2,
  },
  {
    what: 'the bank’s authority is not under trust',
    document: (target, { authority }) => {
      target.trust = [authority]
    },
    exitCode: 2,
  },
  {
    what: 'the server’s certificate is for another name',
    document: (target, { otherName, authority }) => {
      target.trust?.push(authority)
      target.addresses.product_api_url = otherName
    },
    exitCode: 2,
  },
  {
    what: 'the server’s certificate has expired',
    document: (target, { expired, authority }) => {
      target.trust?.push(authority)
      target.addresses.product_api_url = expired
    },
    exitCode: 3,
  },
  {
    what: 'the proxy asks for a password',
    document: (target, { proxy }) => {
      target.proxy = proxy
    },
    exitCode: 2,
  },
  {
    what: 'the bank is too slow',
    document: (target) => {
      target.timeout = 0.5
    },
    settings: { responseDelayMs: 1500 },
    exitCode: 3,
  },
  {
    what: 'the bank’s clock is ten minutes ahead',
    middleware: after(
      () => true,
      (ctx) => ctx.set('date', new Date(Date.now() + 600_000).toUTCString()),
    ),
    exitCode: 3,
  },
  {
    what: 'the transport certificate comes from an authority that the bank does not trust',
    document: (target, { bank }) => {
      first(target).transport = { ...bank.services.directory.refused.untrusted }
    },
    exitCode: 3,
  },
  {
    what: 'the same, and the bank says so by status',
    document: (target, { bank }) => {
      first(target).transport = { ...bank.services.directory.refused.untrusted }
    },
    settings: { tlsRefusal: 'status' },
    exitCode: 3,
  },
  {
    what: 'the discovery address is one of another service',
    document: (target) => {
      target.addresses.discovery_url = target.addresses.auth_url
    },
    exitCode: 2,
  },
  {
    what: 'a page of a portal is served instead of the configuration',
    middleware: after(at(CONFIGURATION), (ctx) => {
      ctx.body = '<html><p>Log in to the developer portal</p></html>'
    }),
    exitCode: 2,
  },
  {
    what: 'the issuer of the target is not that of the bank',
    document: (target) => {
      target.issuer = 'https://issuer.bank.example'
    },
    exitCode: 2,
  },
  {
    what: 'the scope is misspelt',
    document: (target) => {
      first(target).scopes.accounts = 'account'
    },
    exitCode: 2,
  },
  {
    what: 'the bank publishes no key for PS256',
    middleware: after(at('/jwks'), (ctx) => {
      ctx.body = { keys: [{ kty: 'EC', crv: 'P-256', kid: 'ec' }] }
    }),
    exitCode: 3,
  },
  {
    what: 'no registration may be made, and none was',
    document: (target) => {
      target.freshRegistrations = false
    },
    exitCode: 0,
  },
  {
    what: 'the client_id is that of another environment',
    document: (target) => {
      for (const [name, client] of Object.entries(target.clients)) {
        client.clientId = `${name}-of-another-environment`
      }
      target.absent = ['registration']
    },
    exitCode: 2,
  },
  {
    what: 'the registration asks for what this bank does not offer',
    document: (target) => {
      first(target).registrationClaims = { token_endpoint_auth_method: 'client_secret_basic' }
    },
    exitCode: 3,
  },
  {
    what: 'the statement was not signed by the bank’s directory',
    document: (target) => restated(target, { software_client_name: 'Tally II' }),
    exitCode: 2,
  },
  {
    what: 'the token address lacks its path',
    document: (target) => {
      target.addresses.overrides = { token: target.addresses.base_url }
    },
    exitCode: 2,
  },
  {
    what: 'consents stand under another path',
    document: (target) => {
      target.addresses.overrides = {
        aisp: `${target.addresses.base_url}/open-banking/v3.1/accounts-api`,
      }
    },
    exitCode: 2,
  },
  {
    what: 'the bank fails to create consents',
    middleware: async (ctx, next) => {
      if (ctx.method === 'POST' && ctx.path.endsWith('/account-access-consents')) {
        ctx.status = 500
        ctx.body = { Message: 'database is read only' }
        return
      }
      await next()
    },
    exitCode: 3,
  },
  {
    what: 'the bank fails to delete consents',
    middleware: async (ctx, next) => {
      if (ctx.method === 'DELETE' && ctx.path.includes('/account-access-consents/')) {
        ctx.status = 500
        ctx.body = {}
        return
      }
      await next()
    },
    exitCode: 3,
  },
  {
    what: 'the scheme of card numbers has another middle segment than the bank’s',
    document: (target) => {
      target.literals = { panScheme: 'UK.CARD.PAN' }
    },
    exitCode: 2,
  },
  {
    what: 'the authorisation address is that of another service',
    document: (target) => {
      target.addresses.auth_url = target.addresses.discovery_url
    },
    exitCode: 2,
  },
  {
    what: 'the described forms are those of another bank',
    document: (target) => {
      target.authorisation.forms = [{ has: ['user', 'pin'], fill: { user: '{username}' } }]
    },
    exitCode: 2,
  },
  {
    what: 'the program of a hook is not there',
    document: (target) => {
      target.hooks = { 'token-expired': { command: ['./expire-token.sh', '{accessToken}'] } }
    },
    exitCode: 2,
  },
  {
    what: 'the product address lacks its path',
    document: (target) => {
      target.addresses.overrides = { products: target.addresses.product_api_url }
    },
    exitCode: 2,
  },
]
