;(() => {
  const root = document.getElementById('reference')
  const texts = JSON.parse(root.dataset.texts)
  /** Enough to read, and still fast to render. */
  const shownCharacters = 20_000
  const readBytes = 1_000_000

  const inserted = (text, value) => text.replace('{}', () => value)
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }
  const inWords = size => (size < 1024 ? `${size} bytes` : `${(size / 1024).toFixed(1)} kB`)

  /** Builds the request from the form, in the shape that `request-code.mjs` reads. */
  function requestOf(form) {
    const { method, path, origin } = form.dataset
    const given = name => [...form.querySelectorAll(`[data-${name}]`)].filter(({ value }) => value !== '')
    const pairs = name => given(name).map(field => [field.dataset[name], field.value])
    const who = name => form.querySelector(`[data-credential="${name}"]`)
    const secretOf = (name, placeholder) => who(name).value || placeholder
    const values = Object.fromEntries(pairs('path'))
    const query = new URLSearchParams(pairs('query')).toString()
    const part = form.querySelector('[data-part]')
    const authorization = who('sws-credential')
      ? [['Authorization', `SWS ${secretOf('sws-credential', '<credential>')}`]]
      : who('bearer-token')
        ? [['Authorization', `Bearer ${secretOf('bearer-token', '<token>')}`]]
        : []
    const files = [...form.querySelectorAll('[data-file]')].flatMap(({ dataset, files: [content] }) =>
      content === undefined ? [] : [{ name: dataset.file, file: content.name, content }],
    )
    return {
      method,
      url: `${origin}${path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))}${query && `?${query}`}`,
      headers: [...authorization, ...pairs('header')],
      basic: who('client-id')
        ? [secretOf('client-id', '<client_id>'), secretOf('client-secret', '<client_secret>')]
        : undefined,
      json: form.querySelector('[data-json]')?.value,
      form: form.querySelector('[data-form]') ? pairs('form') : undefined,
      parts: part ? [{ name: part.dataset.part, json: part.value }, ...files] : undefined,
    }
  }

  const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

  function send({ method, url, headers, basic, json, form, parts }) {
    const sent = new Headers(headers)
    if (basic) sent.set('authorization', `Basic ${base64(basic.map(encodeURIComponent).join(':'))}`)
    let body
    if (json !== undefined) {
      sent.set('content-type', 'application/json')
      body = json
    } else if (parts !== undefined) {
      body = new FormData()
      for (const { name, json: text, content } of parts) {
        body.append(name, content ?? new Blob([text], { type: 'application/json' }))
      }
    } else if (form !== undefined) body = new URLSearchParams(form)
    // Without the reader's cookies, and without caching.
    // The token endpoint may have another origin; it is the same service, so the page calls its own origin.
    const { pathname, search } = new URL(url)
    return fetch(`${pathname}${search}`, {
      method,
      headers: sent,
      body,
      credentials: 'omit',
      cache: 'no-store',
    })
  }

  /** The start of the body, which may be a list of a million entries. */
  async function beginningOf(response) {
    const chunks = []
    let size = 0
    const reader = response.body?.getReader()
    while (reader !== undefined && size <= readBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      size += value.length
    }
    await reader?.cancel()
    return new Blob(chunks)
  }

  function prettyText(text, type) {
    if (!/json/.test(type)) return text
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }

  async function showBody(response, into) {
    const type = response.headers.get('content-type') ?? ''
    const isFile = /^attachment/.test(response.headers.get('content-disposition') ?? '')
    const blob = isFile ? await response.blob() : await beginningOf(response)
    if (blob.size === 0) into.append(make('p', { textContent: texts.empty }))
    else if (isFile) {
      const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition'))?.[1] ?? 'file'
      const label = inserted(texts.save, inWords(blob.size))
      const href = URL.createObjectURL(blob)
      into.append(
        make('p', {}, make('a', { className: 'button second', href, download: name, textContent: label })),
      )
    } else {
      const text = prettyText(await blob.text(), type)
      if (text.length > shownCharacters) {
        into.append(
          make('p', { className: 'hint', textContent: inserted(texts.cut, String(shownCharacters)) }),
        )
      }
      into.append(block(texts.body, text.slice(0, shownCharacters)))
      takeToken(response, text, into)
    }
    return blob.size
  }

  /** Focusable, because it scrolls independently. */
  function block(label, text) {
    const element = make('pre', { className: 'answer', tabIndex: 0, textContent: text })
    element.setAttribute('role', 'region')
    element.setAttribute('aria-label', label)
    return element
  }

  function takeToken(response, text, into) {
    if (!response.ok || !response.url.endsWith('/api/iam/oauth2/token')) return
    const { access_token: token } = JSON.parse(text)
    for (const field of root.querySelectorAll('[data-credential="bearer-token"]')) {
      field.value = token
      change(field.form)
    }
    into.append(make('p', { className: 'hint', textContent: texts.token }))
  }

  /** Writes the request of the form as code, in the language that the page shows. */
  async function showCode(form) {
    const block = document.getElementById(`request-${form.dataset.call}`)
    if (block === null) return
    const { requestCode } = await import(root.dataset.code)
    const { href } = document.querySelector('.code .languages [aria-current]')
    const language = new URL(href).searchParams.get('lang')
    block.firstChild.textContent = requestCode(language, requestOf(form))
  }

  async function run(form) {
    const outcome = form.querySelector('.outcome')
    const body = form.querySelector('.outcome-body')
    const button = form.querySelector('button')
    for (const link of body.querySelectorAll('a[download]')) URL.revokeObjectURL(link.href)
    body.replaceChildren()
    outcome.textContent = texts.sending
    button.disabled = true
    try {
      const startedAt = performance.now()
      const response = await send(requestOf(form))
      const time = Math.round(performance.now() - startedAt)
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      body.append(
        make('details', {}, make('summary', { textContent: texts.headers }), block(texts.headers, headers)),
      )
      const size = await showBody(response, body)
      outcome.textContent = texts.answered
        .replace('{status}', `${response.status} ${response.statusText}`.trim())
        .replace('{time}', String(time))
        .replace('{size}', inWords(size))
    } catch (error) {
      outcome.textContent = inserted(texts.failed, String(error.message ?? error))
    } finally {
      button.disabled = false
      button.focus()
    }
  }

  const forms = [...root.querySelectorAll('form.try')]
  const changed = new Set()
  function change(form) {
    changed.add(form)
    showCode(form)
  }

  for (const form of forms) {
    form.hidden = false
    form.addEventListener('submit', event => {
      event.preventDefault()
      run(form)
    })
    form.addEventListener('input', () => change(form))
    form.addEventListener('change', () => change(form))
  }
  // The code in another language comes from the server, which knows only the example.
  document.addEventListener('code-replaced', () => changed.forEach(showCode))
})()
