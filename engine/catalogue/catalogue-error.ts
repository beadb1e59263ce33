/** Mistakes in specs/ or suites/, one line each with place and fix: a fault of Assay, but not a crash. */
export class CatalogueError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'CatalogueError'
  }
}
