/**
 * A release: `npm run release -- 0.2.0` checks whether it is possible and prints what would be done; nothing is
 * changed. `--tag` writes the version and the day, commits, and tags the commit. `--publish` publishes the tagged
 * version, in a pipeline that can prove where the package was built. Neither pushes.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** Versions as SemVer 2.0.0 has them, without build metadata. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([\da-z]+(?:\.[\da-z]+)*))?$/

const USAGE = 'npm run release -- VERSION [--dry-run | --tag | --publish], such as 0.2.0'

/**
 * What CHANGELOG.md says about a version: the text between its heading and the next one.
 *
 * @returns undefined when it has no such heading
 */
export function changesOf(changelog, version) {
  const lines = changelog.split('\n')
  const at = lines.findIndex((line) => /^## /.test(line) && line.slice(3).split(',')[0] === version)
  if (at < 0) return undefined
  const rest = lines.slice(at + 1)
  const end = rest.findIndex((line) => line.startsWith('## '))
  return {
    heading: lines[at],
    text: rest
      .slice(0, end < 0 ? undefined : end)
      .join('\n')
      .trim(),
  }
}

/**
 * Is a version later than another? A version with a hyphen comes before the release; the part after it is compared as
 * text.
 */
export function isLater(version, than) {
  const [, ...a] = VERSION.exec(version) ?? []
  const [, ...b] = VERSION.exec(than) ?? []
  for (const at of [0, 1, 2]) {
    const difference = Number(a[at]) - Number(b[at])
    if (difference !== 0) return difference > 0
  }
  if (a[3] === undefined || b[3] === undefined) return a[3] === undefined && b[3] !== undefined
  return a[3] > b[3]
}

/**
 * Why a release is not possible; empty when it is.
 *
 * @param found the current state: `version` of package.json, `changelog`, `changed` files, `tags`, the tag of the
 * `head`
 * @param step dry-run, tag or publish
 */
export function reasonsAgainst(version, found, step) {
  if (!VERSION.test(version)) return [`${version} is no version. ${USAGE}`]
  const changes = changesOf(found.changelog, version)
  const tag = `v${version}`
  const isTagged = found.tags.includes(tag)
  const publishes = step === 'publish'
  return [
    changes === undefined &&
      `CHANGELOG.md has no heading “## ${version}, not released yet”. Write one, with what changed under it.`,
    changes !== undefined &&
      !/^- /m.test(changes.text) &&
      `CHANGELOG.md lists nothing under ${version}.`,
    found.changed.length > 0 && `files are changed and not committed: ${found.changed.join(', ')}`,
    !publishes && isTagged && `the tag ${tag} is there already: name the next version`,
    !publishes &&
      version !== found.version &&
      !isLater(version, found.version) &&
      `${version} is not later than ${found.version} of package.json`,
    publishes &&
      !found.headTags.includes(tag) &&
      `the tag ${tag} is not at this commit: --tag makes it`,
    publishes && version !== found.version && `package.json has version ${found.version}`,
    publishes &&
      !found.canProve &&
      'a package is published with provenance: in GitHub Actions, with the permission id-token: write',
  ].filter((reason) => reason !== false)
}

/** CHANGELOG.md with the day of the release in its heading. */
export function dated(changelog, version, day) {
  const { heading } = changesOf(changelog, version)
  return changelog.replace(heading, `## ${version}, ${day}`)
}

const root = join(import.meta.dirname, '..')
const read = (file) => readFileSync(join(root, file), 'utf8')
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' })
const linesOf = (text) => text.split('\n').filter(Boolean)
const run = (program, ...words) => {
  console.log(`$ ${program} ${words.join(' ')}`)
  execFileSync(program, words, { cwd: root, stdio: 'inherit' })
}

function found() {
  return {
    version: JSON.parse(read('package.json')).version,
    changelog: read('CHANGELOG.md'),
    changed: linesOf(git('status', '--porcelain')).map((line) => line.slice(3)),
    tags: linesOf(git('tag', '--list')),
    headTags: linesOf(git('tag', '--points-at', 'HEAD')),
    canProve: Boolean(process.env.ACTIONS_ID_TOKEN_REQUEST_URL),
  }
}

function tagged(version) {
  const npm = ['version', version, '--no-git-tag-version', '--allow-same-version']
  run('npm', ...npm, '--ignore-scripts')
  const changelog = read('CHANGELOG.md')
  writeFileSync(
    join(root, 'CHANGELOG.md'),
    dated(changelog, version, new Date().toISOString().slice(0, 10)),
  )
  run('git', 'add', 'package.json', 'package-lock.json', 'CHANGELOG.md')
  run('git', 'commit', '--quiet', '--message', `Release ${version}`)
  const message = `Assay ${version}\n\n${changesOf(changelog, version).text}`
  // Lines of the changelog begin with #, which git would otherwise remove.
  execFileSync('git', ['tag', '--annotate', '--cleanup=verbatim', `v${version}`, '--file', '-'], {
    cwd: root,
    input: message,
  })
  console.log(`tagged v${version}. To release it: git push --follow-tags`)
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean' },
      tag: { type: 'boolean' },
      publish: { type: 'boolean' },
    },
  })
  const steps = Object.keys(values)
  if (positionals.length !== 1 || steps.length > 1) throw new Error(USAGE)
  const [version] = positionals
  const [step = 'dry-run'] = steps
  const here = found()
  const reasons = reasonsAgainst(version, here, step)
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
  if (step === 'tag') return tagged(version)
  if (step === 'publish') {
    const channel = version.includes('-') ? 'next' : 'latest'
    return run('npm', 'publish', '--provenance', '--access', 'public', '--tag', channel)
  }
  console.log(`${here.version} → ${version}; CHANGELOG.md says:\n`)
  console.log(changesOf(here.changelog, version).text)
  console.log(
    '\nNothing was changed. --tag writes the version and the day, commits, and makes the tag',
  )
  console.log(`v${version}; pushed, it starts .github/workflows/release.yml, which publishes it.`)
}

if (process.argv[1] === import.meta.filename) {
  try {
    main()
  } catch (error) {
    console.error(error.message)
    process.exitCode = 2
  }
}
