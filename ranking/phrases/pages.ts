/** Pages, components, forms, styles and what else is seen on a screen. */
export const pages = `
  look different > style theme
  right click > menu
  all pages | every page > layout global
  dark mode | light mode > theme
  search engines > metadata sitemap robots
  change * look | change * looks > theme style customize
  look and feel | own look > theme style
  own design > theme template layout
  own template > template custom
  endless scroll | infinite scroll > pagination infinite
  code block | code blocks > highlight fence
  line numbers > highlight
  table of contents > toc heading
  jump to > anchor link
  scroll to > anchor
  shows up in google > metadata
  found by google > metadata sitemap
  link preview | social media > metadata opengraph
  browser tab > title metadata icon
  tab title | page title > metadata title
  go to another page > navigate redirect link
  send users to | send * to another | old urls | old links > redirect
  not found page > 404 error
  loading spinner | while loading | while * loads > loading suspense
  loads slowly > performance lazy loading
  load faster > performance cache
  load later > lazy defer
  only when needed | on demand > lazy dynamic
  when needed > lazy demand
  pages in advance > static prerender
  ahead of time > prerender static build
  in advance > prefetch static
  small screens > responsive
  several languages | different languages | other languages | multiple languages | another language > i18n locale
`;
