import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** Joined with our modules. Other packages stay files of their own: most are CommonJS, and joining them brings little. */
const joinedPackages = /^kysely(\/|$)/

interface Place {
  /** Where the joined files will be started. */
  folder: string
  /** The way from there to the folder with package.json and src, where assets and the scripts of other processes are. */
  toRoot: string
}

/**
 * Joins the modules that the service loads into few files, because finding, reading and linking a thousand files is half of
 * a start. What is imported lazily stays apart. The same sources give the same bytes, wherever the folders are.
 */
export async function bundle(
  root: string,
  { folder, toRoot }: Place,
  prepare = (source: string) => source,
  entries: Record<string, string> = { main: 'src/main.ts' },
): Promise<void> {
  const ownPaths: Plugin = {
    name: 'own-paths',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === 'entry-point' || joinedPackages.test(path) ? undefined : { path, external: true },
      )
      // The package has its own, without scripts and development packages.
      onResolve({ filter: /\/package\.json$/ }, () => ({
        path: `${toRoot}/package.json`,
        external: true,
      }))
      // Assets and other processes are found from the place of the module, which the package has, too.
      onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, ({ path }) => {
        const place = `new URL('${toRoot}/${relative(root, path)}', import.meta.url).href`
        return {
          contents: oneBytePerCharacter(
            prepare(readFileSync(path, 'utf8').replaceAll('import.meta.url', place)),
          ),
          loader: 'ts',
        }
      })
    },
  }
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    // Written below: maps name the sources by their way from here.
    outdir: 'src/bundle',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    preserveSymlinks: true,
    logLevel: 'warning',
    plugins: [ownPaths],
  })
  mkdirSync(folder, { recursive: true })
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents)
}

/**
 * One character beyond Latin-1 in a file, and V8 keeps all of its text with two bytes for each character. esbuild escapes
 * them everywhere but in tagged templates, where `raw` would differ; ours do not read it.
 */
const oneBytePerCharacter = (source: string) =>
  source.replace(/[^\0-\xff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
