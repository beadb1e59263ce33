import type { Target } from '../../target/resolve.ts'
import type { Wire } from '../../wire/wire.ts'
import type { Driver } from './driver.ts'
import { httpDriver } from './http.ts'

/** The driver that the target names. */
export function chooseDriver(target: Target, wire: Wire): Driver {
  const { driver, forms = [] } = target.document.authorisation
  if (driver === 'http') return httpDriver(wire, forms)
  throw new Error(`the driver ${driver} is not available`)
}
