/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

/* clang-format off */
static const char style[] =
	":root{color-scheme:light dark;--ink:#1d2228;--pale:#59636e;--paper:#fff;"
	"--box:#f4f6f8;--edge:#d0d7de;--link:#0757a8;--bad:#b42318;--good:#1a7f37;"
	"--warn:#fff4d6}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e3e7eb;--pale:#9da7b1;"
	"--paper:#14181d;--box:#1d232a;--edge:#38414b;--link:#7bb6f5;--bad:#ff8f85;"
	"--good:#6fd08c;--warn:#3a3118}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;max-width:76rem;padding:0 1rem 3rem;background:var(--paper);"
	"color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.5rem;line-height:1.25;margin:1.5rem 0 .3rem}\n"
	"h2{font-size:1.2rem;margin:2.4rem 0 .4rem;padding-top:.5rem;"
	"border-top:1px solid var(--edge)}\n"
	"h3{font-size:1rem;margin:1.4rem 0 .3rem}\n"
	"p,ul,dl{margin:.4rem 0;max-width:46rem}\n"
	"li{margin:.2rem 0}\n"
	"a{color:var(--link)}\n"
	"nav{font-size:.9rem;margin:.6rem 0}nav a{margin-right:1em;white-space:nowrap}\n"
	".pale,figcaption,small,caption{color:var(--pale)}\n"
	".short{background:var(--box);border:1px solid var(--edge);border-radius:6px;"
	"padding:.3rem 1rem .6rem}\n"
	".short h2{border:0;margin:.7rem 0 0;padding:0;font-size:1rem}\n"
	".warn{background:var(--warn);border-left:4px solid var(--bad);padding:.3rem .8rem;"
	"margin:.8rem 0}\n"
	".bad{color:var(--bad);font-weight:600}.good{color:var(--good)}\n"
	"b{font-weight:600;white-space:nowrap}\n"
	".wide{overflow-x:auto;margin:.6rem 0 1.2rem;max-width:100%}\n"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;padding:.2rem 0;font-size:.875rem}\n"
	"th,td{text-align:left;vertical-align:top;padding:.22rem .6rem .22rem 0;"
	"border-bottom:1px solid var(--edge)}\n"
	"th{font-weight:600;overflow-wrap:normal}tbody th{font-weight:500;white-space:nowrap}\n"
	"td{min-width:2rem;max-width:32rem;overflow-wrap:normal}\n"
	".n,.s{white-space:nowrap}.n{text-align:right;white-space:nowrap}\n"
	"thead th{vertical-align:bottom;background:var(--paper)}\n"
	"td:not(.n):not(.s){min-width:14rem}td small{display:block;font-size:.75rem}\n"
	"th button{all:unset;cursor:pointer;font:inherit}"
	"th button:focus-visible{outline:2px solid var(--link)}\n"
	"th button::after{content:' \\2195';color:var(--pale)}\n"
	"th[aria-sort=ascending] button::after{content:' \\2191'}"
	"th[aria-sort=descending] button::after{content:' \\2193'}\n"
	".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),"
	"1fr));gap:.5rem 2rem}\n"
	"figure{margin:.8rem 0;max-width:36rem}figure svg{color:var(--ink);display:block;"
	"width:100%;height:auto}\n"
	"figcaption{font-size:.875rem}figure>p{font-weight:600;margin:0 0 .3rem}\n"
	"code,.mono{font-family:ui-monospace,monospace;font-size:.85em}\n"
	"pre{overflow-x:auto;background:var(--box);padding:.6rem;border-radius:4px;"
	"font-size:.85rem}\n"
	"@media print{:root{--ink:#000;--pale:#444;--paper:#fff;--box:#fff;--edge:#bbb;"
	"--link:#000}\n"
	"body{max-width:none;font-size:10pt}nav,th button::after{display:none}"
	".wide{overflow:visible}\n"
	"table{font-size:8pt}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}}\n";

/* Sorts a table by the column whose head is pressed; without it the tables stay as they are. */
static const char script[] =
	"document.querySelectorAll('table').forEach(t=>{const b=t.tBodies[0];"
	"if(!b||b.rows.length<3)return;\n"
	"[...t.tHead.rows[0].cells].forEach((h,c)=>{const k=document.createElement('button');"
	"k.type='button';\n"
	"k.textContent=h.textContent;h.textContent='';h.append(k);k.onclick=()=>{\n"
	"const up=h.getAttribute('aria-sort')!=='ascending';\n"
	"[...t.tHead.rows[0].cells].forEach(x=>x.removeAttribute('aria-sort'));\n"
	"h.setAttribute('aria-sort',up?'ascending':'descending');\n"
	"const v=r=>{const d=r.cells[c];if(!d)return '';const n=d.dataset.v??d.dataset.d;\n"
	"return n===undefined?d.textContent:Number(n)};\n"
	"[...b.rows].map((r,i)=>[v(r),i,r]).sort((x,y)=>{const n=typeof x[0]==='number',"
	"m=typeof y[0]==='number';\n"
	"const o=n&&m?x[0]-y[0]:n?-1:m?1:x[0].localeCompare(y[0],undefined,{numeric:true});\n"
	"return (up?o:-o)||x[1]-y[1]}).forEach(x=>b.append(x[2]))}})})\n";
/* clang-format on */

void page_head(const struct eh_book *page, const char *title, GString *out)
{
	(void)page;
	g_string_append(out,
			"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
			"<link rel=\"icon\" href=\"data:,\">\n<title>");
	html_text(out, title);
	g_string_append_printf(
		out,
		"</title>\n<style>\n%s</style>\n<script>\n"
		"addEventListener('DOMContentLoaded',()=>{%s})\n</script>\n</head>\n<body>\n",
		style, script);
}
