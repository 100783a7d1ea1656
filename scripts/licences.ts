import lockFile from '../package-lock.json' with { type: 'json' }

interface Package {
  name?: string
  version: string
  license?: string
  dev?: boolean
}

/** What the service runs with, from the lock file. Node comes with a checkout only. */
export function servicePackages(): { name: string; version: string; licence: string }[] {
  const packages = Object.entries(lockFile.packages as Record<string, Package>)
  const found = packages.flatMap(([path, { name, version, license = 'none', dev }]) =>
    path === '' || dev === true
      ? []
      : [{ name: name ?? path.replace(/^.*node_modules\//, ''), version, licence: license }],
  )
  const unique = new Map(found.map(each => [`${each.name} ${each.version}`, each]))
  return [...unique.values()].toSorted((a, b) =>
    `${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1,
  )
}

export function licenceReference(): string {
  const rows = servicePackages().map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return `# Licences of dependencies

Generated from \`package-lock.json\` by \`npm run generate\`: the packages that the service runs with, and the licence that each
declares. Their full texts are in \`node_modules\`, in the archive and in the image. Packages for development and tests are not part
of a release. Dossier itself is under the [MIT licence](../../LICENSE).

| package | version | licence |
|---|---|---|
${rows.join('\n')}
`
}
