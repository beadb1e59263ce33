// Writes sbom.cdx.json: the parts of the package (CycloneDX) according to the lock file. The output is reproducible.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const words = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx']
const { npm_execpath: npm } = process.env
const [program, ...args] = npm ? [process.execPath, npm, ...words] : ['npm', ...words]
const bom = JSON.parse(execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1e8 }))
// The serial number and timestamp differ each time.
delete bom.serialNumber
delete bom.metadata.timestamp
// npm uses the name of the folder.
bom.metadata.component.name = 'assay'
writeFileSync('sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`)
console.log(`sbom.cdx.json: ${bom.components.length} components`)
