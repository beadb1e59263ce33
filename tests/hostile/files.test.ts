import { situations } from './files.ts'
import { tryOut } from './situation.ts'

tryOut('files', situations)
