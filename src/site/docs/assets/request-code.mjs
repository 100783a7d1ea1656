/** Writes an HTTP request as code. The server imports it for the docs, and the reference for what the reader enters. */

const writers = { curl, typescript, python, csharp, php }

export function requestCode(language, request) {
  return writers[language](request)
}

/** Parses a body that may be half-typed. */
function parsed(text) {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const hasBody = ({ json, form, parts }) => (json ?? form ?? parts) !== undefined
const isDefaultMethod = request => request.method === (hasBody(request) ? 'POST' : 'GET')
const typeOfJson = ['Content-Type', 'application/json']
const indented = (text, spaces) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

function curl(request) {
  const { method, url, headers, basic, json, form = [], parts = [], saveAs } = request
  const compact = text => JSON.stringify(parsed(text)?.value) ?? text
  return [
    `curl ${isDefaultMethod(request) ? '' : `-X ${method} `}${word(url)}`,
    ...(basic === undefined ? [] : [`-u ${word(basic.join(':'))}`]),
    ...[...headers, ...(json === undefined ? [] : [typeOfJson])].map(
      ([name, value]) => `-H ${word(`${name}: ${value}`)}`,
    ),
    ...(json === undefined ? [] : [`-d ${word(json)}`]),
    ...form.map(
      ([name, value]) => `${/^[\w.-]*$/.test(value) ? '-d' : '--data-urlencode'} ${word(`${name}=${value}`)}`,
    ),
    ...parts.map(({ name, json: text, file }) =>
      file === undefined
        ? `-F ${word(`${name}=${compact(text)};type=application/json`)}`
        : `-F ${word(`${name}=@${file}`)}`,
    ),
    ...(saveAs === undefined ? [] : [`-o ${word(saveAs)}`]),
  ].join(' \\\n  ')
}

/** Quotes a value as one shell word. */
function word(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A value as a literal of a language with maps and lists. */
function literal(value, style, depth = 0) {
  if (value === null) return style.none
  if (typeof value === 'boolean') return style.truths[Number(value)]
  if (typeof value === 'string') return style.text(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const inside = ' '.repeat((depth + 1) * style.indent)
  const [open, close] = Array.isArray(value) ? style.list : style.map
  const items = Array.isArray(value)
    ? value.map(item => literal(item, style, depth + 1))
    : Object.entries(value).map(([key, item]) => `${style.key(key)}${literal(item, style, depth + 1)}`)
  if (items.length === 0) return Array.isArray(value) ? open + close : (style.empty ?? open + close)
  const line = items.join(', ')
  if (line.length + inside.length < 50 && !line.includes('\n')) {
    const gap = open === '{' && style.isSpaced ? ' ' : ''
    return `${open}${gap}${line}${gap}${close}`
  }
  return `${open}\n${items.map(item => `${inside}${item},\n`).join('')}${' '.repeat(depth * style.indent)}${close}`
}

/** Characters outside ASCII stay as they are: source files are UTF-8. */
const double = text => JSON.stringify(text)
const single = text =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`

const inTypescript = {
  indent: 2,
  none: 'null',
  truths: ['false', 'true'],
  list: '[]',
  map: '{}',
  isSpaced: true,
  text: single,
  key: name => `${/^[a-z_$][\w$]*$/i.test(name) ? name : single(name)}: `,
}

function typescript(request) {
  const { method, url, headers, basic, json, form, parts, saveAs } = request
  const value = given => literal(given, inTypescript)
  const bodyOf = text => {
    const body = parsed(text)
    return body === undefined ? single(text) : `JSON.stringify(${value(body.value)})`
  }
  const heads = [
    ...(basic === undefined ? [] : [`Authorization: \`Basic \${btoa(${single(basic.join(':'))})}\``]),
    ...[...headers, ...(json === undefined ? [] : [typeOfJson])].map(
      ([name, text]) => `${inTypescript.key(name)}${single(text)}`,
    ),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(heads.length === 0
      ? []
      : heads.length === 1
        ? [`headers: { ${heads[0]} },`]
        : [`headers: {\n${heads.map(head => `    ${head},\n`).join('')}  },`]),
    ...(json === undefined ? [] : [`body: ${indented(bodyOf(json), 2)},`]),
    ...(form === undefined
      ? []
      : [`body: new URLSearchParams(${indented(value(Object.fromEntries(form)), 2)}),`]),
    ...(parts === undefined ? [] : ['body: form,']),
  ]
  const imports = [
    ...(parts?.some(({ file }) => file !== undefined) ? ["import { openAsBlob } from 'node:fs'\n"] : []),
    ...(saveAs === undefined ? [] : ["import { writeFile } from 'node:fs/promises'\n"]),
  ]
  const filled = (parts ?? []).map(({ name, json: text, file }) =>
    file === undefined
      ? `form.append('${name}', new Blob([${bodyOf(text)}], { type: 'application/json' }))\n`
      : `form.append('${name}', await openAsBlob(${single(file)}), ${single(file)})\n`,
  )
  return [
    ...imports,
    imports.length > 0 ? '\n' : '',
    ...(parts === undefined ? [] : ['const form = new FormData()\n', ...filled, '\n']),
    `const response = await fetch(${single(url)}`,
    ...(options.length === 0 ? [')\n'] : [', {\n', ...options.map(option => `  ${option}\n`), '})\n']),
    saveAs === undefined
      ? 'console.log(await response.text())'
      : `await writeFile(${single(saveAs)}, await response.bytes())`,
  ].join('')
}

const inPython = {
  indent: 4,
  none: 'None',
  truths: ['False', 'True'],
  list: '[]',
  map: '{}',
  text: double,
  key: name => `${double(name)}: `,
}

/** The body of a form with files, which the standard library cannot write. */
const pythonForm = `body = b"".join(
    f'--{boundary}\\r\\nContent-Disposition: form-data; {head}\\r\\n\\r\\n'.encode() + content + b"\\r\\n"
    for head, content in parts
) + f"--{boundary}--\\r\\n".encode()
`

function python(request) {
  const { method, url, headers, basic, json, form, parts, saveAs } = request
  const value = given => literal(given, inPython)
  const textOf = text => {
    const body = parsed(text)
    return `${body === undefined ? double(text) : `json.dumps(${value(body.value)})`}.encode()`
  }
  const heads = [
    ...(basic === undefined
      ? []
      : [`"Authorization": "Basic " + b64encode(${double(basic.join(':'))}.encode()).decode()`]),
    ...[...headers, ...(json === undefined ? [] : [typeOfJson])].map(
      ([name, text]) => `${double(name)}: ${double(text)}`,
    ),
    ...(parts === undefined ? [] : ['"Content-Type": f"multipart/form-data; boundary={boundary}"']),
  ]
  const data =
    json !== undefined
      ? textOf(json)
      : form !== undefined
        ? `urlencode(${value(Object.fromEntries(form))}).encode()`
        : parts !== undefined && 'body'
  const named = [
    double(url),
    ...(isDefaultMethod(request) ? [] : [`method="${method}"`]),
    ...(heads.length === 0
      ? []
      : heads.length === 1
        ? [`headers={${heads[0]}}`]
        : [`headers={\n${heads.map(head => `        ${head},\n`).join('')}    }`]),
    ...(data ? [`data=${indented(data, 4)}`] : []),
  ]
  const listed = (parts ?? []).map(({ name, json: text, file }) =>
    file === undefined
      ? `    ('name="${name}"\\r\\nContent-Type: application/json', ${indented(textOf(text), 4)}),\n`
      : `    ('name="${name}"; filename="${file}"', open(${double(file)}, "rb").read()),\n`,
  )
  const imports = [
    ...(basic === undefined ? [] : ['from base64 import b64encode\n']),
    ...(json !== undefined || parts !== undefined ? ['import json\n'] : []),
    ...(form === undefined ? [] : ['from urllib.parse import urlencode\n']),
    'from urllib.request import Request, urlopen\n',
    ...(parts === undefined ? [] : ['from uuid import uuid4\n']),
  ]
  return [
    ...imports.toSorted((a, b) => Number(a.startsWith('from')) - Number(b.startsWith('from'))),
    '\n',
    ...(parts === undefined
      ? []
      : ['boundary = uuid4().hex\nparts = [\n', ...listed, ']\n', pythonForm, '\n']),
    ...(named.length === 1
      ? [`request = Request(${named[0]})\n`]
      : ['request = Request(\n', ...named.map(each => `    ${each},\n`), ')\n']),
    'with urlopen(request) as response:\n',
    saveAs === undefined
      ? '    print(response.read().decode())'
      : `    open(${double(saveAs)}, "wb").write(response.read())`,
  ].join('')
}

function csharp({ method, url, headers, basic, json, form, parts, saveAs }) {
  // A raw string keeps the quotes of JSON, and cannot hold what is not JSON.
  const textOf = (text, depth) => {
    const body = parsed(text)
    if (body === undefined) return double(text)
    const margin = ' '.repeat(depth)
    return `"""\n${margin}${indented(JSON.stringify(body.value, null, 2), depth)}\n${margin}"""`
  }
  const typed = (text, depth) =>
    `new StringContent(${textOf(text, depth)}, Encoding.UTF8, "application/json")`
  const content =
    json !== undefined
      ? typed(json, 4)
      : form !== undefined
        ? `new FormUrlEncodedContent(new Dictionary<string, string>\n{\n${form
            .map(([name, value]) => `    [${double(name)}] = ${double(value)},\n`)
            .join('')}})`
        : parts !== undefined &&
          `new MultipartFormDataContent\n{\n${parts
            .map(({ name, json: text, file }) =>
              file === undefined
                ? `    { ${typed(text, 8)}, "${name}" },\n`
                : `    { new ByteArrayContent(File.ReadAllBytes(${double(file)})), "${name}", ${double(file)} },\n`,
            )
            .join('')}}`
  const isEncoded = basic !== undefined || json !== undefined || parts?.some(part => part.json !== undefined)
  const verb = method[0] + method.slice(1).toLowerCase()
  return [
    ...(isEncoded ? ['using System.Text;\n\n'] : []),
    'using var http = new HttpClient();\n',
    `using var request = new HttpRequestMessage(HttpMethod.${verb}, ${double(url)});\n`,
    ...(basic === undefined
      ? []
      : [
          `var client = Convert.ToBase64String(Encoding.UTF8.GetBytes(${double(basic.join(':'))}));\n`,
          'request.Headers.Add("Authorization", $"Basic {client}");\n',
        ]),
    ...headers.map(([name, text]) => `request.Headers.Add(${double(name)}, ${double(text)});\n`),
    ...(content ? [`request.Content = ${content};\n`] : []),
    'using var response = await http.SendAsync(request);\n',
    saveAs === undefined
      ? 'Console.WriteLine(await response.Content.ReadAsStringAsync());'
      : `File.WriteAllBytes(${double(saveAs)}, await response.Content.ReadAsByteArrayAsync());`,
  ].join('')
}

const inPhp = {
  indent: 4,
  none: 'null',
  truths: ['false', 'true'],
  list: '[]',
  map: '[]',
  empty: '(object) []',
  // A line break needs double quotes, in which a dollar sign would begin a variable.
  text: text => (/[\n\r]/.test(text) ? double(text).replaceAll('$', '\\$') : single(text)),
  key: name => `${single(name)} => `,
}

function php(request) {
  const { method, url, headers, basic, json, form, parts, saveAs } = request
  const value = given => literal(given, inPhp)
  const bodyOf = text => {
    const body = parsed(text)
    return body === undefined ? inPhp.text(text) : `json_encode(${value(body.value)})`
  }
  const fields = (parts ?? []).map(({ name, json: text, file }) =>
    file === undefined
      ? `        '${name}' => ${indented(bodyOf(text), 8)},\n`
      : `        '${name}' => new CURLFile(${single(file)}),\n`,
  )
  const body =
    json !== undefined
      ? bodyOf(json)
      : form !== undefined
        ? `http_build_query(${value(Object.fromEntries(form))})`
        : parts !== undefined && `[\n${fields.join('')}    ]`
  const heads = [...headers, ...(json === undefined ? [] : [typeOfJson])].map(([name, text]) =>
    single(`${name}: ${text}`),
  )
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(isDefaultMethod(request) ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    ...(basic === undefined ? [] : [`CURLOPT_USERPWD => ${single(basic.join(':'))}`]),
    ...(heads.length === 0
      ? []
      : heads.length === 1
        ? [`CURLOPT_HTTPHEADER => [${heads[0]}]`]
        : [`CURLOPT_HTTPHEADER => [\n${heads.map(head => `        ${head},\n`).join('')}    ]`]),
    ...(body ? [`CURLOPT_POSTFIELDS => ${parts === undefined ? indented(body, 4) : body}`] : []),
  ]
  return [
    '<?php\n',
    `$curl = curl_init(${single(url)});\n`,
    'curl_setopt_array($curl, [\n',
    ...options.map(option => `    ${option},\n`),
    ']);\n',
    saveAs === undefined
      ? 'echo curl_exec($curl);'
      : `file_put_contents(${single(saveAs)}, curl_exec($curl));`,
  ].join('')
}
