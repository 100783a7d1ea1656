import { globSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import type { TestFile } from './components.ts'

/** The test files in these folders of the checkout, or these files, in the order in which node:test runs them. */
export function findTests(root: string, chosen: readonly string[]): TestFile[] {
  const pattern = (path: string) => (path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`)
  const importsOf = new Map<string, string[]>()

  const textOf = (path: string) => readFileSync(resolve(root, path), 'utf8')

  function directImports(path: string): string[] {
    const known = importsOf.get(path)
    if (known !== undefined) return known
    const matches = [...textOf(path).matchAll(/(?:from |import |import\()'(\.[^']+\.ts)'/g)]
    const found = matches.map(([, name = '']) => posix.join(posix.dirname(path), name))
    importsOf.set(path, found)
    return found
  }

  function allImports(path: string): Set<string> {
    const reached = new Set<string>()
    const waiting = [path]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const name of directImports(next)) {
        // The service imports no test code.
        if (reached.has(name) || !name.startsWith('test/')) continue
        reached.add(name)
        waiting.push(name)
      }
    }
    return reached
  }

  return chosen
    .flatMap(path => globSync(pattern(path), { cwd: root }))
    .toSorted()
    .map(path => ({ path, text: textOf(path), imports: allImports(path) }))
}
