export { accountsOwner, type Owners } from '../client-session/step-owners.ts'
