import { situations } from './redaction.ts'
import { tryOut } from './situation.ts'

tryOut('redaction', situations)
