import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stringify } from 'yaml'
import type { Catalogue } from '../../engine/catalogue/catalogue.ts'
import { root } from '../../engine/record/root.ts'
import { EXAMPLES } from './examples.ts'
import { mustsOf, type Schema } from './musts.ts'
import { type Operation, placed } from './operations.ts'

/** An interface, as docs/openapi describes it. */
export interface Interface {
  document: Operation['document']
  title: string
  version: string
  description: string
}

/** OpenAPI 3.1 of one interface, as YAML: its operations and the answers of a conformant bank. */
export function openApi(face: Interface, operations: Operation[], catalogue: Catalogue): string {
  const own = placed(operations).filter(({ document }) => document === face.document)
  const answered = new Set(own.flatMap(({ id }) => [`${id} 2xx`, `${id} error`]))
  const answers = answerSchemas(face.document, catalogue).filter(({ responses }) =>
    responses.some((response) => answered.has(response)),
  )
  const requests = new Set(own.flatMap(({ request }) => request?.schema ?? []))
  const paths: Record<string, Schema> = {}
  for (const operation of own) {
    const { path, method, server } = operation
    const item = paths[path] ?? { servers: [serverOf(server)] }
    paths[path] = { ...item, [method]: operationOf(operation, answers) }
  }
  const parts = [...[...requests].map(requestSchema), ...answers.map((answer) => answer.parts)]
  const used = new Set(own.flatMap(({ authentication }) => SECURITY[authentication]))
  const { title, version, description } = face
  const document = {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [serverOf(own.at(-1)?.server ?? 'base_url')],
    tags: [...new Set(own.map(({ tag }) => tag))].map((name) => {
      return { name, description: TAGS[name] }
    }),
    paths,
    components: {
      ...(used.size > 0 && {
        securitySchemes: Object.fromEntries([...used].map((name) => [name, SCHEMES[name]])),
      }),
      schemas: Object.assign({}, ...parts),
    },
  }
  const comment = `# Made from specs/ and schemas/ by npm run generate; do not edit.\n`
  return comment + stringify(document, { aliasDuplicateObjects: false, lineWidth: 100 })
}

interface AnswerSchema {
  name: string
  /** Endpoint and status: `accounts 2xx`. */
  responses: string[]
  /** The schema and its definitions, by their names. */
  parts: Record<string, Schema>
}

function answerSchemas(document: string, catalogue: Catalogue): AnswerSchema[] {
  const folder = join(root, 'schemas', document)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((file) => {
      const schema = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      const name = nameOf(file)
      const inner = (definition: string) => `${name}${capital(definition)}`
      const musts = (part: Schema) =>
        mustsOf(part, catalogue, (definition) => referenceTo(inner(definition)))
      const { $defs = {}, responses } = schema as Pick<AnswerSchema, 'responses'> & {
        $defs?: Record<string, Schema>
      }
      const parts: Record<string, Schema> = {
        [name]: { title: schema.description ?? schema.title, ...musts(schema) },
      }
      for (const [key, part] of Object.entries($defs)) parts[inner(key)] = musts(part)
      return { name, responses, parts }
    })
}

function requestSchema(file: string): Record<string, Schema> {
  const path = join(root, 'schemas', 'requests', file)
  const { $schema: _, $id: __, ...schema } = JSON.parse(readFileSync(path, 'utf8'))
  return { [`${nameOf(file)}Request`]: schema }
}

function operationOf(operation: Operation, answers: AnswerSchema[]): Schema {
  const { id, operationId, summary, description, tag, authentication, request } = operation
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security:
      authentication === 'none'
        ? []
        : [Object.fromEntries(SECURITY[authentication].map((name) => [name, []]))],
    ...(operation.parameters && { parameters: operation.parameters.map(parameterOf) }),
    ...(request && {
      requestBody: {
        required: true,
        content: { [request.type]: { schema: requestOf(request), ...exampleOf(id, 'request') } },
      },
    }),
    responses: {
      [operation.success]: {
        description: SUCCESS[operation.success],
        ...(operation.success === '302' && { headers: LOCATION }),
        ...contentOf(answers, `${id} 2xx`, exampleOf(id, 'response')),
      },
      ...Object.fromEntries(
        Object.entries(operation.refusals ?? {}).map(([status, meaning]) => [
          status,
          { description: meaning, ...contentOf(answers, `${id} error`) },
        ]),
      ),
    },
  }
}

const requestOf = ({ schema }: NonNullable<Operation['request']>) => ({
  $ref: referenceTo(`${nameOf(schema)}Request`),
})

function exampleOf(id: string, of: 'request' | 'response'): Schema {
  const example = EXAMPLES[id]?.[of]
  return example === undefined ? {} : { example }
}

function contentOf(answers: AnswerSchema[], response: string, example: Schema = {}): Schema {
  const references = answers
    .filter(({ responses }) => responses.includes(response))
    .map(({ name }) => ({ $ref: referenceTo(name) }))
  if (references.length === 0) return {}
  const schema = references.length === 1 ? references[0] : { allOf: references }
  return { content: { 'application/json': { schema, ...example } } }
}

function parameterOf(parameter: NonNullable<Operation['parameters']>[number]): Schema {
  const { name, in: place, required, description, format, enum: values } = parameter
  const schema = { type: 'string', ...(format && { format }), ...(values && { enum: values }) }
  return { name, in: place, ...(required && { required }), description, schema }
}

const TAGS: Record<string, string> = {
  Authorisation: 'The configuration, the redirect of the customer, and tokens.',
  Registration: 'Client registration.',
  Consents: 'Account access consents.',
  'Funds confirmation': 'Funds confirmation consents.',
  Accounts: 'Consumer credit card accounts.',
  Balances: 'Balances of accounts.',
  Transactions: 'Transactions of accounts.',
  Products: 'Consumer credit card products.',
}

const SUCCESS: Record<string, string> = {
  '200': 'The answer.',
  '201': 'Created.',
  '204': 'Deleted.',
  '302': 'Redirect to redirect_uri, for success or for an error.',
}

const URI = { type: 'string', format: 'uri' }
const LOCATION = { Location: { description: 'redirect_uri, with the answer.', schema: URI } }

const SECURITY: Record<Operation['authentication'], string[]> = {
  none: [],
  'mutual-tls': ['transportCertificate'],
  'client-token': ['transportCertificate', 'clientToken'],
  'customer-token': ['transportCertificate', 'customerToken'],
}

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description })

const SCHEMES: Record<string, Schema> = {
  transportCertificate: {
    type: 'mutualTLS',
    description: 'A valid open banking transport certificate.',
  },
  clientToken: bearer('Access token of a client_credentials grant.'),
  customerToken: bearer('Access token of an authorization_code grant, for one consent.'),
}

const ADDRESSES: Record<string, [host: string, description: string]> = {
  base_url: ['api', 'Production address of the API; {sandbox_api_url} in the sandbox.'],
  auth_url: ['auth', 'Production address of the customer authorisation page.'],
  discovery_url: ['auth', 'Production address serving the well-known configuration.'],
  product_api_url: ['products', 'Address of the product interface.'],
}

function serverOf(name: string): Schema {
  const [host, description] = ADDRESSES[name] ?? []
  const variable = { default: `https://${host}.bank.example`, description }
  return { url: `{${name}}`, variables: { [name]: variable } }
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** funds-confirmation.schema.json → FundsConfirmation */
function nameOf(file: string): string {
  return basename(file, '.schema.json').split('-').map(capital).join('')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
