import { situations } from './garbage.ts'
import { tryOut } from './situation.ts'

tryOut('garbage', situations)
