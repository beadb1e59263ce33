/** Mistakes in specs/ or in suites/, a line each with its place and its fix: ours, and no crash. */
export class CatalogueError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'CatalogueError'
  }
}
