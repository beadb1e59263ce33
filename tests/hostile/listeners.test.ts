import { situations } from './listeners.ts'
import { tryOut } from './situation.ts'

tryOut('listeners', situations)
