import { situations } from './endpoints.ts'
import { tryOut } from './situation.ts'

tryOut('endpoints', situations)
