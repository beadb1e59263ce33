import { situations } from './addresses.ts'
import { tryOut } from './situation.ts'

tryOut('addresses', situations)
