import { situations } from './flaky.ts'
import { tryOut } from './situation.ts'

tryOut('flaky', situations)
