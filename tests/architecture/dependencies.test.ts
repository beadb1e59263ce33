import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../engine/record/root.ts'

/** What we build on: named exactly, had from one registry, under licences that let anybody use it. */

const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  link?: boolean
}

const packages = Object.entries(
  JSON.parse(read('package-lock.json')).packages as Record<string, Locked>,
).filter(([name]) => name !== '')

test('every version in package.json is exact', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)),
  )
  expect(loose).toEqual([])
})

test('every package has its digest, and names no other place than the registry', () => {
  const strange = packages.filter(
    ([, { resolved = '', integrity = '' }]) =>
      !/^($|https:\/\/registry\.npmjs\.org\/)/.test(resolved) || !integrity.startsWith('sha512-'),
  )
  expect(strange.map(([name]) => name)).toEqual([])
})

/** Licences that ask to be named, or for changes of their own files (MPL). */
const LICENCES = [
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'],
  ...['CC0-1.0', 'CC-BY-4.0', 'Python-2.0', 'Unlicense', 'MPL-2.0'],
]

/** MIT, in the older member `licenses`, which the lock file leaves out. */
const IN_LICENSES = /^node_modules\/(compute-(gcd|lcm)|validate\.io-.*)$/

test('every licence lets a bank use the package', () => {
  const allowed = (licence: string) =>
    licence
      .replace(/^\(|\)$/g, '')
      .split(' OR ')
      .some((one) => one.split(' AND ').every((each) => LICENCES.includes(each)))
  const others = packages.filter(
    ([name, { license = 'none' }]) => !allowed(license) && !IN_LICENSES.test(name),
  )
  expect(others.map(([name, { license }]) => `${name}: ${license}`)).toEqual([])
})

test('actions and the base image are named by their digests', () => {
  const files = [
    ...readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`),
    'action.yml',
  ]
  const uses = files.flatMap((file) =>
    [...read(file).matchAll(/uses: (\S+)/g)].map(([, name = '']) => name),
  )
  expect(uses.length).toBeGreaterThan(5)
  expect(uses.filter((name) => !/^[\w/-]+@[0-9a-f]{40}$/.test(name))).toEqual([])
  const bases = [...read('Containerfile').matchAll(/^FROM (\S+)/gm)].map(([, name = '']) => name)
  expect(bases.length).toBeGreaterThan(1)
  expect(bases.filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name))).toEqual([])
})
