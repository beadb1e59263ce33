import { situations } from './protocol.ts'
import { tryOut } from './situation.ts'

tryOut('protocol', situations)
