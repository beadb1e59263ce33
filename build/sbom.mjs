// Writes sbom.cdx.json: what the package consists of (CycloneDX), as the lock file says it. The same each time.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const words = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx']
const { npm_execpath: npm } = process.env
const [program, ...args] = npm ? [process.execPath, npm, ...words] : ['npm', ...words]
const bom = JSON.parse(execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1e8 }))
// The moment and the number of a writing say nothing of what was written.
delete bom.serialNumber
delete bom.metadata.timestamp
// npm names it by the folder that it stands in.
bom.metadata.component.name = 'assay'
writeFileSync('sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`)
console.log(`sbom.cdx.json: ${bom.components.length} components`)
