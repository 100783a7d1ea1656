;(() => {
  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties)
    element.append(...children)
    return element
  }

  const shownResults = 7
  /** As many as the server shows. */
  const mostResults = 50

  /** Shows results while the reader types. Enter without a choice asks the server, as it does without this script. */
  function offerSearch(form) {
    const input = form.querySelector('input')
    const texts = JSON.parse(form.dataset.texts)
    const status = make('p', { className: 'quiet' })
    status.setAttribute('role', 'status')
    const list = make('div', { id: 'docs-results' })
    list.setAttribute('role', 'listbox')
    list.setAttribute('aria-label', texts.results)
    const box = make('div', { className: 'docs-results', hidden: true }, status, list)
    form.append(box)
    // Keys are for readers who have them.
    if (matchMedia('(pointer: fine)').matches) input.placeholder = texts.placeholder
    const attributes = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id }
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value)

    let loading
    const load = () => {
      loading ??= Promise.all([
        import(form.dataset.library),
        import(form.dataset.search),
        fetch(form.dataset.index).then(response => response.json()),
      ]).then(([{ default: MiniSearch }, { createSearch }, entries]) => createSearch(MiniSearch, entries))
      // Another try with the next key.
      loading.catch(() => {
        loading = undefined
      })
      return loading
    }

    const optionsOf = () => [...list.children]
    const chosen = () => list.querySelector('[aria-selected=true]')
    function choose(option) {
      chosen()?.setAttribute('aria-selected', 'false')
      option?.setAttribute('aria-selected', 'true')
      option?.scrollIntoView({ block: 'nearest' })
      input.setAttribute('aria-activedescendant', option?.id ?? '')
    }
    function show(isShown) {
      box.hidden = !isShown
      input.setAttribute('aria-expanded', String(isShown && list.childElementCount > 0))
      if (!isShown) choose(undefined)
    }
    show(false)

    function optionOf({ path, page, heading, excerpt }, index) {
      const pieces = excerpt.map(([text, isFound]) => (isFound ? make('mark', { textContent: text }) : text))
      const option = make(
        'a',
        { href: path, id: `docs-result-${index}`, tabIndex: -1 },
        make('strong', { textContent: heading === '' ? page : heading }),
        ...(heading === '' ? [] : [make('span', { className: 'quiet', textContent: ` ${page}` })]),
        make('span', { className: 'excerpt' }, ...pieces),
      )
      option.setAttribute('role', 'option')
      option.setAttribute('aria-selected', 'false')
      return option
    }

    async function search() {
      const query = input.value.trim()
      if (query === '') return show(false)
      try {
        const find = await load()
        // The reader has typed on meanwhile.
        if (query !== input.value.trim()) return
        const results = find(query, mostResults)
        const told = results.length === 1 ? texts.one : texts.many.replace('{}', String(results.length))
        status.textContent = results.length === 0 ? texts.none : told
        const path = `${form.action}?q=${encodeURIComponent(query)}`
        const rest = { path, page: texts.all, heading: '', excerpt: [] }
        const shown = results.length > shownResults ? [...results.slice(0, shownResults), rest] : results
        list.replaceChildren(...shown.map(optionOf))
        show(true)
        choose(list.firstElementChild ?? undefined)
      } catch {
        list.replaceChildren()
        status.textContent = texts.failed
        show(true)
      }
    }

    input.addEventListener('focus', () => load().catch(() => {}))
    input.addEventListener('input', search)
    input.addEventListener('keydown', event => {
      const options = optionsOf()
      const place = options.indexOf(chosen())
      const steps = { ArrowDown: 1, ArrowUp: -1 }
      if (event.key === 'Escape' && !box.hidden) {
        event.preventDefault()
        show(false)
      } else if (event.key in steps && options.length > 0) {
        event.preventDefault()
        show(true)
        choose(options.at((place + steps[event.key]) % options.length))
      } else if (event.key === 'Enter' && !box.hidden && chosen() !== null) {
        event.preventDefault()
        const link = chosen()
        show(false)
        link.click()
      }
    })
    // A press on a result leaves the field before it follows the link.
    form.addEventListener('focusout', ({ relatedTarget }) => {
      if (!form.contains(relatedTarget)) show(false)
    })
    list.addEventListener('mousedown', event => event.preventDefault())
    list.addEventListener('click', () => show(false))
    document.addEventListener('keydown', event => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      input.focus()
      input.select()
    })
  }

  /** Replaces the code of the page by that in another language. The server remembers the language. */
  async function changeLanguage(link) {
    const response = await fetch(link.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const block = link.closest('.code')
    for (const code of document.querySelectorAll('.code:has(.languages)')) {
      const other = page.getElementById(code.id)
      for (const part of ['.code-title', 'pre']) {
        code.querySelector(part).replaceWith(other.querySelector(part))
      }
    }
    block.querySelector('.languages [aria-current]').focus()
    document.dispatchEvent(new Event('code-replaced'))
  }

  document.addEventListener('click', event => {
    const link = event.target.closest?.('.code .languages a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    // Without a connection, the browser says so.
    changeLanguage(link).catch(() => location.assign(link.href))
  })

  /** Calls and schemas used to be on one page: leads links to them to the page that each has now. */
  function leadOn() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    const link = target?.matches('[data-moved]') ? target.querySelector('a') : null
    if (link !== null) location.replace(link.href)
  }

  for (const form of document.querySelectorAll('form.docs-search')) offerSearch(form)
  leadOn()
  addEventListener('hashchange', leadOn)
})()
