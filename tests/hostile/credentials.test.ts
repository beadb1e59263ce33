import { situations } from './credentials.ts'
import { tryOut } from './situation.ts'

tryOut('credentials', situations)
