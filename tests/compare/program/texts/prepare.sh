# Makes files of those of inputs.txt, in the present folder.
set -e

stem=module_0001.jit_step.cl_1.after_optimizations
cp $stem.txt step.txt
cp $stem.txt damaged/module_0003.jit_half.cl_1.after_optimizations.txt
mkdir pair single folder
cp dump/*.txt helper/*.txt pair
cp m.txt pair/module_0003.jit_step.cl_1.after_optimizations.txt
echo nothing >pair/module_0004.jit_bad.cl_1.after_optimizations.txt
echo 'nothing of XLA' >pair/notes.txt
cp $stem.txt single

# A step has a batch, and a tensor of a quantum that is kept.
leak() {
    printf 'op,id,bytes,tag\nalloc,w,102400,weights\n'
    seq 0 $(($1 - 1)) | sed "s/.*/alloc,x,51200,batch\nalloc,l&,100,$2\nfree,x,,\nsync,,,/"
}
leak 100 log >leak.csv
leak 10 '' >no_tag.csv
# A trace without marks, in which the rows of a layer repeat.
(
    echo op,id,bytes,tag
    seq 0 59 | sed 's/.*/alloc,x,512,work\nalloc,y,4096,work\nalloc,k&,1024,\nfree,x,,\nfree,y,,/'
) >layers.csv

: >nothing.txt
printf '\375\067zXZ\0' >t.csv.xz
printf '\177ELF\002\001\0' >elf
printf '\377\376E\0r\0' >shell.log
cp reuse.csv 'a,"b".csv'
