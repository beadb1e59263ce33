import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { signingFinding } from '../../engine/configuration/material.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

test.each(['pkcs8', 'pkcs1'] as const)(
  'a wrong passphrase of %s is never taken for damage',
  (type) => {
    const key = privateKey
      .export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'right' })
      .toString()
    // Some of so many leave bytes that look decrypted.
    for (let n = 0; n < 800; n += 1) {
      const [finding] = signingFinding({ key, passphrase: `wrong-${n}` })
      expect(finding?.text, `wrong-${n}`).toBe('does not open the key. Correct it.')
    }
    expect(signingFinding({ key, passphrase: 'right' })).toEqual([])
    const damaged = key.replace(/\n.{40}(?=[^\n]*\n-----END)/, '\n%%%%')
    const [finding] = signingFinding({ key: damaged, passphrase: 'right' })
    expect(finding?.text).toMatch(/damaged/)
  },
)
