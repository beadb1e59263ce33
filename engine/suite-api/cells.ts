export { type Cell, cellName } from '../judge/cells.ts'
