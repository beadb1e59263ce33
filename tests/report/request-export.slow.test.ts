import { describe, expect, test } from 'vitest'
import { EXPORTS, FORMATS } from '../../engine/report/request-export.ts'
import { hostileRun } from './hostile.ts'
import { recorded } from './recorded.ts'

const { exchanges } = await recorded('every')
const of = { name: 'every', version: '1.0.0' }
const one = (format: keyof typeof EXPORTS, of_ = exchanges) =>
  EXPORTS[format](of, of_)[0]?.content ?? ''

describe('what a run recorded, for another program', () => {
  test.each(FORMATS)('%s has variables, and no pseudonym of a secret in a request', (format) => {
    const content = EXPORTS[format](of, exchanges)
      .map((file) => file.content)
      .join('\n')
    expect(content).toMatch(/\{\{ACCESS_TOKEN\}\}|\$ACCESS_TOKEN/)
    expect(content).toMatch(/\{\{CLIENT_ASSERTION\}\}|\$CLIENT_ASSERTION/)
    expect(content).not.toMatch(/Bearer </)
  })

  test('har says what was answered', () => {
    const { log } = JSON.parse(one('har'))
    expect(log.creator).toEqual({ name: 'Assay', version: '1.0.0' })
    expect(log.entries).toHaveLength(exchanges.length)
    const at = exchanges.findIndex(({ endpoint }) => endpoint === 'token')
    expect(log.entries[at].request.postData.mimeType).toMatch(/x-www-form-urlencoded/)
    expect(log.entries[at].response.status).toBe(exchanges[at]?.response?.status)
  })

  test('postman decodes a form and lists its variables', () => {
    const { item, variable } = JSON.parse(one('postman'))
    const token = item.find(({ request }: { request: { body?: { mode: string } } }) => {
      return request.body?.mode === 'urlencoded'
    })
    const fields = token.request.body.urlencoded.map(({ key }: { key: string }) => key)
    expect(fields).toContain('grant_type')
    expect(JSON.stringify(token)).toContain(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    )
    expect(variable).toContainEqual({ key: 'ACCESS_TOKEN', value: '' })
  })

  test('bruno is a collection, a file each request', () => {
    const [head, ...files] = EXPORTS.bruno(of, exchanges.slice(0, 20))
    expect(JSON.parse(head?.content ?? '')).toMatchObject({ type: 'collection' })
    expect(files).toHaveLength(20)
    for (const { name, content } of files) {
      expect(name).toMatch(/^x\d+\.bru$/)
      // A block ends with the only brace at the beginning of a line.
      const blocks = content.match(/^[a-z:-]+ \{$/gm) ?? []
      expect(content.match(/^\}$/gm)).toHaveLength(blocks.length)
    }
  })

  test('a hostile bank changes no structure', async () => {
    const hostile = (await hostileRun()).exchanges
    expect(JSON.parse(one('har', hostile)).log.entries).toHaveLength(hostile.length)
    expect(JSON.parse(one('postman', hostile)).item).toHaveLength(hostile.length)
  })
})
